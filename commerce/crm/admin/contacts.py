"""The pages of contacts: the listing, the forms, and a person with what happened."""

from collections import Counter
from itertools import chain
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.paginator import WagtailPaginator
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.adminkit.admin import RecordAction, RefusingMixin
from cms_api.adminkit.columns import local_date
from cms_api.core.errors import Invalid, NotFound

from .. import selectors
from ..models import Activity, Contact
from ..services.contacts import update_contact
from ..services.timeline import add_note
from ..types import MAX_NOTES, ActivityKind, Lifecycle
from .forms import panel
from .listing import ContactIndexView, called, inspect_url
from .merging import DuplicatesView, MergeView

LINES_A_PAGE = 50
#: Tags that are offered, and among how many contacts they are looked for.
TAGS_OFFERED, TAGS_FROM = 10, 2000

ICONS = {
    ActivityKind.NOTE: "comment",
    ActivityKind.FORM: "form",
    ActivityKind.MAIL: "mail",
    ActivityKind.ORDER: "clipboard-list",
    ActivityKind.BOOKING: "calendar-check",
    ActivityKind.INVOICE: "doc-full",
    ActivityKind.DONATION: "circle-plus",
    ActivityKind.TICKET: "pick",
    ActivityKind.SUPPORT: "help",
    ActivityKind.PROJECT: "tasks",
    ActivityKind.SUBSCRIPTION: "rotate",
    ActivityKind.MEMBERSHIP: "key",
    ActivityKind.MERGE: "redirect",
}


class ContactCreateView(RefusingMixin, generic.CreateView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)

    def get_success_message(self, instance: Contact) -> str | None:
        return f"Contact “{instance}” created." if self.form.outcome.created else None

    def save_action(self) -> HttpResponse:
        if not self.form.outcome.created:
            said = f"“{self.object}” was here already. What was blank has been filled in, and nothing overwritten."
            messages.warning(self.request, said, buttons=self.get_success_buttons())
        return super().save_action()


class ContactEditView(RefusingMixin, generic.EditView):
    def get_success_url(self) -> str:
        return inspect_url(self.object)

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = [Button("Open", url=inspect_url(self.object), icon_name="view", priority=5)]
        return [*found, *(button for button in super().header_more_buttons if button.icon_name != "info-circle")]


class ContactDeleteView(generic.DeleteView):
    confirmation_message = (
        "Are you sure you want to delete this contact? Its timeline goes too. What was sent in with forms stays, and no "
        "longer leads to anybody."
    )


class NoteForm(forms.Form):
    """What is written down of a contact. The service says what is wrong."""

    text = forms.CharField(
        required=False,
        label="Note",
        help_text="What was said or agreed, or is to be done.",
        widget=AdminAutoHeightTextInput(attrs={"rows": 2, "maxlength": MAX_NOTES, "aria-required": "true"}),
    )


class ContactInspectView(generic.InspectView):
    """A person: what is known, and what happened."""

    template_name = "crm_admin/contact.html"
    page_title = "Contact"
    object: Contact
    note: NoteForm | None = None

    def get_object(self, queryset: Any = None) -> Contact:
        return get_object_or_404(selectors.contacts(), pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        listing = {"url": reverse("crm_contacts:index"), "label": "Contacts"}
        return [*self.breadcrumbs_items, listing, {"url": "", "label": self.get_page_subtitle()}]

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        if edit_url := self.get_edit_url():
            return [HeaderButton("Edit", url=edit_url, icon_name="edit")]
        return []

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = []
        if self.user_has_permission("change"):
            merge_url = set_query_params(reverse("crm_contacts:merge"), {"id": self.object.pk})
            found.append(Button("Merge", url=merge_url, icon_name="redirect", priority=10))
        history_url = reverse("crm_contacts:history", args=[self.object.pk])
        found.append(Button("History", url=history_url, icon_name="history", priority=20))
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=30))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        contact = self.object
        told = Activity.objects.filter(contact=contact).select_related("user").order_by("-happened_at", "-id")
        paginator = WagtailPaginator(told, LINES_A_PAGE)
        page = paginator.get_page(self.request.GET.get("p"))
        return super().get_context_data(
            **kwargs,
            page_obj=page,
            elided_page_range=paginator.get_elided_page_range(page.number),
            lines=[(line, ICONS.get(line.kind, "info-circle"), called(line.user), written_out(line)) for line in page],
            note=self.note or NoteForm(),
            may_change=self.user_has_permission("change"),
            looked_after_by=called(contact.assigned_to),
            town=" ".join(filter(None, (contact.postal_code, contact.city))),
            dialled=dialled(contact.phone),
            last_activity=local_date(contact.last_activity_at),
            created=local_date(contact.created_at),
            updated=local_date(contact.updated_at),
            lifecycles=Lifecycle.choices,
            merged=list(contact.merged_addresses.order_by("email").values_list("email", flat=True)),
            here=inspect_url(contact),
        )


def dialled(phone: str) -> str:
    """A telephone number as the address of a link has it: digits, and a plus before them."""
    digits = "".join(character for character in phone if character.isascii() and character.isdecimal())
    return f"+{digits}" if digits and phone.strip().startswith("+") else digits


def written_out(line: Activity) -> str:
    """The text of a line, where it says more than its summary."""
    return line.body if line.body != line.summary else ""


class AddNoteView(ContactInspectView):
    """Takes a note; shows the page again with what is wrong with it."""

    permission_required = "change"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(inspect_url(self.get_object()))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.object = self.get_object()
        self.note = NoteForm(request.POST)
        if self.note.is_valid():
            try:
                add_note(contact=self.object, text=self.note.cleaned_data["text"], user=request.user)
            except Invalid as refusal:
                self.note.add_error("text", refusal.errors["text"])
            else:
                messages.success(request, "Noted.")
                return redirect(inspect_url(self.object))
        return self.render_to_response(self.get_context_data())


class MoveView(RecordAction):
    """Says how far the contact has come, from its page."""

    model = Contact

    def act(self, request: HttpRequest, record: Contact) -> None:
        lifecycle = request.POST.get("lifecycle", "")
        if lifecycle not in Lifecycle.values:
            raise Invalid({"lifecycle": "The selected lifecycle is invalid."})
        try:
            moved = update_contact(contact=record, values={"lifecycle": lifecycle}, user=request.user)
        except NotFound:
            raise Http404 from None
        messages.success(request, f"“{moved}” stands at “{moved.get_lifecycle_display()}” now.")

    def home(self, record: Contact) -> str:
        return inspect_url(record)


class TagsView(PermissionCheckedMixin, View):
    """Tags that begin with what is typed, the most used first, of the contacts that were changed last."""

    model = Contact
    permission_required = "change"

    def get(self, request: HttpRequest) -> JsonResponse:
        term = request.GET.get("term", "").strip().strip('"').casefold()
        rows = Contact.objects.exclude(tags=[]).order_by("-updated_at", "-id").values_list("tags", flat=True)[:TAGS_FROM]
        used = Counter(tag for tag in chain.from_iterable(rows) if tag.casefold().startswith(term)) if term else Counter()
        return JsonResponse([tag for tag, _ in used.most_common(TAGS_OFFERED)], safe=False)


class ContactViewSet(ModelViewSet):
    model = Contact
    icon = "user"
    menu_label = "Contacts"
    menu_order = 10
    name = "crm_contacts"
    url_prefix = "crm/contacts"
    url_namespace = "crm_contacts"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    export_filename = "contacts"
    index_view_class = ContactIndexView
    add_view_class = ContactCreateView
    edit_view_class = ContactEditView
    delete_view_class = ContactDeleteView
    inspect_view_class = ContactInspectView

    def get_edit_handler(self) -> Any:
        return panel()

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_common_view_kwargs(**kwargs) | {"usage_url_name": None}

    def get_urlpatterns(self) -> list[URLPattern]:
        common = self.get_common_view_kwargs()
        note_view = self.construct_view(AddNoteView, **self.get_inspect_view_kwargs())
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("inspect/<int:pk>/note/", note_view, name="add_note"),
            path("inspect/<int:pk>/lifecycle/", MoveView.as_view(), name="move"),
            path("edit/<int:pk>/", self.edit_view, name="edit"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
            path("merge/", self.construct_view(MergeView, **common), name="merge"),
            path("duplicates/", self.construct_view(DuplicatesView, **common), name="duplicates"),
            path("tags/", TagsView.as_view(), name="tags"),
        ]
