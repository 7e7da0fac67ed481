"""Who has how many points; given and taken by hand, with a note that says why."""

from collections.abc import Sequence
from typing import Any

import django_filters
from django import forms
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.actions.create import CreateAction
from wagtail.actions.registry import action_registry
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, ObjectList, Panel
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, StatusTagColumn, TitleColumn
from wagtail.admin.utils import set_query_params
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button, HeaderButton

from cms_api.adminkit.admin import CsvListing, RefusingMixin, local_date
from cms_api.core.errors import Invalid
from cms_api.http.wire import instant
from commerce.common.types import MAX_EMAIL
from commerce.members.selectors import find_member
from commerce.members.types import MemberStatus

from ..models import PointsBalance
from ..selectors import balances, entries, of_members_named
from ..services import adjust
from ..types import MAX_NOTE, MAX_POINTS

COLUMNS = ("Member", "Email", "Status", "Points", "Changed")
#: Entries that a member's page shows; the rest is in the ledger.
LATEST = 20


class AdjustForm(WagtailAdminModelForm):
    """Points for a member, who is named by address. The rules are the service's."""

    email = forms.EmailField(max_length=MAX_EMAIL, label="Member's email")
    points = forms.IntegerField(
        min_value=-MAX_POINTS, max_value=MAX_POINTS, help_text="With a minus in front to take points away, such as -20."
    )
    note = forms.CharField(max_length=MAX_NOTE, help_text="Why. The member does not read it.")

    def _post_clean(self) -> None:
        """The service checks what was sent."""

    def refuse(self, refusal: Invalid) -> None:
        for path_, sentences in refusal.errors.items():
            self.add_error(path_ if path_ in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        fields: Sequence[str] = []


class AdjustPoints(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> PointsBalance:
        given = self.form.cleaned_data
        member = find_member(given["email"])
        if member is None:
            raise Invalid({"email": "No member has this email."})
        adjust(member=member, points=given["points"], note=given["note"], user=self.user)
        self.instance = self.form.instance = PointsBalance.objects.get(member=member)
        return self.instance


action_registry.register(PointsBalance, AdjustPoints)


def inspect_url(balance: PointsBalance) -> str:
    return reverse("loyalty_balances:inspect", args=[balance.pk])


class AdjustView(RefusingMixin, generic.CreateView):
    page_subtitle = "Adjust points"
    success_message = "The points of %(object)s have been adjusted."
    error_message = "The points could not be adjusted due to errors."
    submit_button_label = "Adjust"
    submit_button_active_label = "Adjusting…"

    def get_initial(self) -> dict[str, Any]:
        return {"email": self.request.GET.get("email", "")}

    def get_breadcrumbs_items(self) -> list[dict[str, str]]:
        home = {"url": reverse("loyalty_balances:index"), "label": "Points"}
        return [*self.breadcrumbs_items, home, {"url": "", "label": "Adjust points"}]

    def get_success_url(self) -> str:
        return inspect_url(self.form.instance)

    def get_success_buttons(self) -> list[Any]:
        return []


class BalanceFilterSet(WagtailFilterSet):
    status = django_filters.ChoiceFilter(
        field_name="member__status", choices=MemberStatus.choices, label="Status", widget=forms.RadioSelect, empty_label="All"
    )

    class Meta:
        model = PointsBalance
        fields = ("status",)


class BalanceIndexView(CsvListing, generic.IndexView):
    page_title = "Points"
    template_name = "members_admin/index.html"
    results_template_name = "members_admin/index_results.html"
    filterset_class = BalanceFilterSet
    is_searchable = True
    default_ordering = ("-points", "-id")
    list_display = [
        "member",
        Column("email", label="Email", accessor="member.email"),
        StatusTagColumn(
            "status", label="Status", accessor="member.get_status_display", primary=lambda found: found.member.is_active
        ),
        Column("points", label="Points", sort_key="points"),
        Column("updated_at", label="Changed", accessor=lambda found: local_date(found.updated_at), sort_key="updated_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        return [title("member", label="Member", accessor=str, get_url=self.get_inspect_url), *self.list_display[1:]]

    @cached_property
    def header_buttons(self) -> list[Button]:
        if not self.add_url:
            return []
        return [HeaderButton("Adjust points", url=self.add_url, icon_name="edit")]

    def get_base_queryset(self) -> Any:
        return balances()

    def search_queryset(self, queryset: Any) -> Any:
        return of_members_named(queryset, self.search_query) if self.search_query else queryset

    def get_list_more_buttons(self, instance: PointsBalance) -> list[MenuItem]:
        return [MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10)]

    def csv_header(self) -> Sequence[str]:
        return COLUMNS

    def csv_row(self, record: PointsBalance) -> Sequence[Any]:
        member = record.member
        return (member.name, member.email, member.status, record.points, instant(record.updated_at))


class BalanceInspectView(generic.InspectView):
    """A member's points, and what they were given and taken for."""

    template_name = "loyalty_admin/balance.html"
    page_title = "Points"
    object: PointsBalance

    def get_object(self, queryset: Any = None) -> PointsBalance:
        return get_object_or_404(balances(), pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return str(self.object)

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        pk = self.object.pk
        return [
            Button("History", url=reverse("loyalty_balances:history", args=[pk]), icon_name="history", priority=10),
            Button("Ledger", url=ledger_url(self.object), icon_name="list-ul", priority=5),
        ]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        held = self.object
        latest = entries().filter(member=held.member)[:LATEST]
        return super().get_context_data(
            **kwargs,
            latest=[(entry, local_date(entry.created_at)) for entry in latest],
            ledger_url=ledger_url(held),
            adjust_url=set_query_params(reverse("loyalty_balances:add"), {"email": held.member.email}),
            may_change=self.user_has_permission("add"),
        )


def ledger_url(balance: PointsBalance) -> str:
    return set_query_params(reverse("loyalty_ledger:index"), {"member": balance.member_id})


class BalanceViewSet(ModelViewSet):
    model = PointsBalance
    icon = "pick"
    menu_label = "Points"
    menu_order = 10
    name = url_namespace = "loyalty_balances"
    url_prefix = "loyalty"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    export_filename = "points"
    index_view_class = BalanceIndexView
    add_view_class = AdjustView
    inspect_view_class = BalanceInspectView

    def get_edit_handler(self) -> Panel:
        panels = [FieldPanel("email"), FieldPanel("points"), FieldPanel("note")]
        return ObjectList(panels, base_form_class=AdjustForm).bind_to_model(PointsBalance)

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = ("edit", "usage", "delete", "copy")
        return super().get_common_view_kwargs(**kwargs) | {f"{name}_url_name": None for name in none}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("adjust/", self.add_view, name="add"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
        ]
