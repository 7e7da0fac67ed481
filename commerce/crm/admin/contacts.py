"""Contacts in the admin: list, forms, and a detail page with the timeline."""

from collections import Counter
from itertools import chain
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.paginator import WagtailPaginator
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton
from wagtail.log_actions import log

from cms_api.adminkit.columns import MomentColumn, StatusColumn, person
from cms_api.adminkit.links import existing_path
from cms_api.adminkit.once import ActsOnce
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.views import AddView, InspectView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.errors import Invalid
from commerce.imports.selectors import import_url

from .. import selectors
from ..models import Activity, Contact
from ..services.bulk import delete_contact
from ..services.contacts import update_contact, upsert_contact
from ..services.timeline import add_note
from ..types import DETAILS, MAX_NOTES, ActivityKind, Lifecycle
from . import bulk
from .forms import ORIGIN, PANELS, ContactForm
from .listing import CSV, FILTERS, CompanyColumn, ContactColumn, found_by_words, inspect_url
from .merging import DuplicatesView, MergeView, merge_url

ACTIVITIES_PER_PAGE = 50
#: Number of suggested tags, and of recently changed contacts they are collected from.
TAGS_OFFERED, READ_CONTACTS = 10, 2000

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


class ContactAddView(AddView):
    """Adds a contact; if the email already exists, fills in that contact's blank fields."""

    calls = ()
    is_new = True

    def get_success_message(self, instance: Contact) -> str | None:
        return f"Contact “{instance}” created." if self.is_new else None

    def save_instance(self) -> Contact:
        outcome = upsert_contact(values=self.form.values(), source=ORIGIN)
        self.is_new, self.form.instance = outcome.created, outcome.contact
        if self.is_new:
            log(instance=outcome.contact, action="wagtail.create", user=self.request.user)
        return outcome.contact

    def save_action(self) -> HttpResponse:
        if not self.is_new:
            said = f"“{self.object}” already exists. Only blank fields were filled in; nothing was overwritten."
            messages.warning(self.request, said, buttons=self.get_success_buttons())
        return super().save_action()


class NoteForm(forms.Form):
    """A note about a contact. The service validates it."""

    text = forms.CharField(
        required=False,
        label="Note",
        help_text="For example what was agreed, or needs to be done.",
        widget=AdminAutoHeightTextInput(attrs={"rows": 2, "maxlength": MAX_NOTES, "aria-required": "true"}),
    )


def get_dialled_number(phone: str) -> str:
    """Return a phone number for a `tel:` link: digits, with a leading plus if it has one."""
    digits = "".join(character for character in phone if character.isascii() and character.isdecimal())
    return f"+{digits}" if digits and phone.strip().startswith("+") else digits


def written_out(line: Activity) -> str:
    """Return an activity's body if it says more than its summary."""
    return line.body if line.body != line.summary else ""


class AddNoteView(ActsOnce, InspectView):
    """Adds a note; shows the page again with the errors."""

    permission_required = "change"
    note: NoteForm | None = None

    def get_next_url(self) -> str:
        return inspect_url(self.object)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(inspect_url(self.object))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.note = NoteForm(request.POST)
        if self.note.is_valid():
            try:
                add_note(contact=self.object, text=self.note.cleaned_data["text"], user=request.user)
            except Invalid as refusal:
                self.note.add_error("text", refusal.errors["text"])
            else:
                messages.success(request, "Note added.")
                return redirect(inspect_url(self.object))
        return self.render_to_response(self.get_context_data() | {"note": self.note})


class LifecycleForm(forms.Form):
    lifecycle = forms.ChoiceField(choices=Lifecycle.choices)

    def __init__(self, *args: Any, record: Contact, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"initial": {"lifecycle": record.lifecycle}})


def set_lifecycle(contact: Contact, user: Any, values: Any) -> None:
    update_contact(contact=contact, values=values, user=user)
    contact.refresh_from_db()


class TagsView(PermissionCheckedMixin, View):
    """Suggests tags with the typed prefix, most used first, from the most recently changed contacts."""

    model = Contact
    permission_required = "change"

    def get(self, request: HttpRequest) -> JsonResponse:
        term = request.GET.get("term", "").strip().strip('"').casefold()
        rows = Contact.objects.exclude(tags=[]).order_by("-updated_at", "-id").values_list("tags", flat=True)[:READ_CONTACTS]
        used = Counter(tag for tag in chain.from_iterable(rows) if tag.casefold().startswith(term)) if term else Counter()
        return JsonResponse([tag for tag, _ in used.most_common(TAGS_OFFERED)], safe=False)


class ContactViewSet(RecordViewSet):
    model = Contact
    icon = "user"
    menu_label = "Contacts"
    name = "crm_contacts"
    url_prefix = "crm/contacts"
    pages = ("add", "edit", "inspect", "delete", "history")
    add_view_class = ContactAddView
    inspect_template_name = "crm_admin/contact.html"
    form, panels = ContactForm, PANELS
    filters, csv, search = FILTERS, CSV, found_by_words
    search_order = 120
    bulk_actions, bulk_action_class = bulk.ACTIONS, bulk.ContactAction
    nulls_last = ("last_activity_at",)
    delete_consequence = "Its timeline is deleted too. Form submissions stay, without a link to the contact."
    list_display = (
        ContactColumn("contact", label="Contact", sort_key="email"),
        CompanyColumn("company", label="Company", sort_key="company__name"),
        StatusColumn(
            "lifecycle", label="Lifecycle", primary=lambda contact: contact.lifecycle == Lifecycle.CUSTOMER, sort_key="lifecycle"
        ),
        Column("assigned_to", label="Owner", accessor=lambda contact: person(contact.assigned_to)),
        MomentColumn("last_activity_at", label="Last activity"),
        MomentColumn("created_at", label="Created"),
    )
    transitions = (
        Transition(
            "lifecycle",
            "Change",
            set_lifecycle,
            lambda contact: f"Lifecycle of “{contact}” changed to “{contact.get_lifecycle_display()}”.",
            form=LifecycleForm,
        ),
    )

    def records(self) -> Any:
        return selectors.contacts()

    def update(self, record: Contact, values: dict[str, Any], user: Any) -> Contact:
        return update_contact(contact=record, values=values, user=user)

    def delete(self, record: Contact, user: Any) -> None:
        delete_contact(contact=record, user=user)

    def list_buttons(self, user: Any) -> list[BaseButton]:
        url = import_url("contacts", user)
        return [HeaderButton("Import", url=url, icon_name="upload", priority=50)] if url else []

    def list_more_buttons(self, user: Any) -> list[BaseButton]:
        return [Button("Possible duplicates", url=reverse("crm_contacts:duplicates"), icon_name="copy", priority=50)]

    def record_buttons(self, record: Contact, user: Any) -> list[BaseButton]:
        if not self.permission_policy.user_has_permission(user, "change"):
            return []
        return [Button("Merge", url=merge_url([record.pk]), icon_name="redirect", priority=20)]

    def inspect_context(self, record: Contact, request: HttpRequest) -> dict[str, Any]:
        activities = Activity.objects.filter(contact=record).select_related("user").order_by("-happened_at", "-id")
        paginator = WagtailPaginator(activities, ACTIVITIES_PER_PAGE)
        page = paginator.get_page(request.GET.get("p"))
        return {
            "page_obj": page,
            "elided_page_range": paginator.get_elided_page_range(page.number),
            "lines": [
                (line, ICONS.get(line.kind, "info-circle"), person(line.user), written_out(line), existing_path(line.link))
                for line in page
            ],
            "note": NoteForm(),
            "owner": person(record.assigned_to),
            "dialled": get_dialled_number(record.phone),
            "details": [(field.label, getattr(record, field.name)) for field in DETAILS if field.name != "phone"],
            "merged": list(record.merged_addresses.order_by("email").values_list("email", flat=True)),
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        note_view = self.construct_view(AddNoteView, **self.get_inspect_view_kwargs())
        return [
            path("inspect/<id:pk>/note/", note_view, name="add_note"),
            path("merge/", self.construct_view(MergeView), name="merge"),
            path("duplicates/", self.construct_view(DuplicatesView), name="duplicates"),
            path("tags/", TagsView.as_view(), name="tags"),
        ]
