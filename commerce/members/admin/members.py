"""Members in the admin: found by words, status, plan and date, added, cancelled, reinstated, and given another plan, and
deleted.
"""

from collections.abc import Sequence
from typing import Any

import django_filters
from django import forms
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.filters import DateRangePickerWidget, WagtailFilterSet
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, ObjectList, Panel
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button
from wagtail.models import ModelLogEntry

from cms_api.accounts.types import MAX_NAME
from cms_api.adminkit.admin import CsvListing, RecordAction, RefusingMixin, local_date
from cms_api.core.errors import Invalid
from cms_api.http.wire import instant
from cms_api.text.search import matching
from commerce.common.types import MAX_EMAIL

from ..models import Member, Plan
from ..selectors import members, offered_plans
from ..services import add_member, cancel, change_plan, delete_member, rejoin
from ..types import MemberStatus

COLUMNS = ("Name", "Email", "Status", "Plan", "Joined", "Cancelled")
#: Lines of its history that a member's page shows; the rest is behind a button.
RECENT = 10


def inspect_url(member: Member) -> str:
    return reverse("members:inspect", args=[member.pk])


class MemberForm(WagtailAdminModelForm):
    """Somebody to be added. The rules are the service's."""

    name = forms.CharField(required=False, max_length=MAX_NAME)
    email = forms.EmailField(
        max_length=MAX_EMAIL,
        help_text="Where nobody has an account with it yet, one is made, and a mail leads there to choosing a password.",
    )

    def _post_clean(self) -> None:
        """The service checks what was sent."""

    def refuse(self, refusal: Invalid) -> None:
        for path_, sentences in refusal.errors.items():
            self.add_error(path_ if path_ in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        fields: Sequence[str] = []


class AddMember(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> Member:
        given = self.form.cleaned_data
        self.instance = self.form.instance = add_member(email=given["email"], name=given["name"], by=self.user)
        return self.instance


class DeleteMember(DeleteAction):
    def _delete(self) -> Any:
        delete_member(member=self.instance, by=self.user)


for _action in (AddMember, DeleteMember):
    action_registry.register(Member, _action)


class MemberCreateView(RefusingMixin, generic.CreateView):
    success_message = "%(object)s is a member now, and is told by mail."
    submit_button_label = "Add the member"

    def get_success_url(self) -> str:
        return inspect_url(self.form.instance)

    def get_success_buttons(self) -> list[Any]:
        return []


class MemberFilterSet(WagtailFilterSet):
    status = django_filters.ChoiceFilter(choices=MemberStatus.choices, widget=forms.RadioSelect, empty_label="All")
    plan = django_filters.ModelChoiceFilter(
        queryset=Plan.objects.all(),
        widget=forms.RadioSelect,
        empty_label="All",
        null_label="No plan",
    )
    joined_at = django_filters.DateFromToRangeFilter(label="Joined", widget=DateRangePickerWidget)

    class Meta:
        model = Member
        fields = ("status", "plan", "joined_at")


class MemberIndexView(CsvListing, generic.IndexView):
    template_name = "members_admin/index.html"
    results_template_name = "members_admin/index_results.html"
    filterset_class = MemberFilterSet
    is_searchable = True
    default_ordering = ("-joined_at", "-id")
    list_display = [
        "name",
        Column("email", label="Email"),
        Column("plan", label="Plan", accessor=lambda found: found.plan.name if found.plan else ""),
        StatusTagColumn(
            "status", label="Status", accessor="get_status_display", primary=lambda found: found.is_active, sort_key="status"
        ),
        Column("joined_at", label="Joined", accessor=lambda found: local_date(found.joined_at), sort_key="joined_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        return [title("name", label="Name", accessor=str, get_url=self.get_inspect_url), *self.list_display[1:]]

    def get_base_queryset(self) -> Any:
        return members()

    def search_queryset(self, queryset: Any) -> Any:
        return matching(queryset, self.search_query) if self.search_query else queryset

    def get_list_more_buttons(self, instance: Member) -> list[MenuItem]:
        return [MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10)]

    def csv_header(self) -> Sequence[str]:
        return COLUMNS

    def csv_row(self, record: Member) -> Sequence[Any]:
        plan = record.plan.name if record.plan else ""
        return (record.name, record.email, record.status, plan, instant(record.joined_at), instant(record.cancelled_at))


class MemberInspectView(generic.InspectView):
    """How a member stands, what may be done about it, and what has happened."""

    template_name = "members_admin/member.html"
    page_title = "Member"
    object: Member

    def get_object(self, queryset: Any = None) -> Member:
        return get_object_or_404(members(), pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object)

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = [Button("History", url=reverse("members:history", args=[self.object.pk]), icon_name="history", priority=10)]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=20))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        entries = ModelLogEntry.objects.for_instance(self.object).select_related("user").order_by("-timestamp", "-id")
        return super().get_context_data(
            **kwargs,
            plans=offered_plans(),
            history=[(entry, local_date(entry.timestamp)) for entry in entries[:RECENT]],
            joined_on=local_date(self.object.joined_at),
            cancelled_on=local_date(self.object.cancelled_at),
            may_change=self.user_has_permission("change"),
        )


class MemberDeleteView(generic.DeleteView):
    def get_object(self) -> Member:
        return get_object_or_404(members(), pk=self.kwargs["pk"])

    @property
    def confirmation_message(self) -> str:
        told = " The member is told by mail that it is cancelled." if self.object.is_active else ""
        return (
            f"Are you sure you want to delete this membership? Its plan and its points go too.{told} The account stays, and its "
            "holder may join again; an administrator deletes it under Settings → Users."
        )


class MemberAction(RecordAction):
    model = Member

    def get_queryset(self) -> Any:
        return members()

    def home(self, record: Member) -> str:
        return inspect_url(record)


class CancelView(MemberAction):
    def act(self, request: HttpRequest, record: Member) -> None:
        if cancel(member=record, by=request.user):
            messages.success(request, f"The membership of {record} is cancelled, and they are told by mail.")
        else:
            messages.warning(request, "It had been cancelled before.")


class ReinstateView(MemberAction):
    def act(self, request: HttpRequest, record: Member) -> None:
        if rejoin(member=record, by=request.user):
            messages.success(request, f"{record} is a member again, and is told by mail.")
        else:
            messages.warning(request, "It had been reinstated before.")


class ChangePlanView(MemberAction):
    def act(self, request: HttpRequest, record: Member) -> None:
        slug = request.POST.get("plan", "").replace("\0", "")
        plan = get_object_or_404(Plan, slug=slug) if slug else None
        if change_plan(member=record, plan=plan, by=request.user):
            messages.success(request, f"{record} has the plan {plan} now." if plan else f"{record} has no plan now.")
        else:
            messages.warning(request, "That was the plan before.")


class MemberViewSet(ModelViewSet):
    model = Member
    icon = "group"
    menu_label = "Members"
    menu_order = 10
    name = url_namespace = "members"
    url_prefix = "members"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    export_filename = "members"
    index_view_class = MemberIndexView
    add_view_class = MemberCreateView
    inspect_view_class = MemberInspectView
    delete_view_class = MemberDeleteView

    def get_edit_handler(self) -> Panel:
        return ObjectList([FieldPanel("name"), FieldPanel("email")], base_form_class=MemberForm).bind_to_model(Member)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = ("edit", "usage", "copy")
        return super().get_common_view_kwargs(**kwargs) | {f"{name}_url_name": None for name in none}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("new/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
            path("cancel/<int:pk>/", CancelView.as_view(), name="cancel"),
            path("reinstate/<int:pk>/", ReinstateView.as_view(), name="reinstate"),
            path("plan/<int:pk>/", ChangePlanView.as_view(), name="change_plan"),
        ]
