"""Balances in the admin, and their adjustment with a note."""

from typing import Any

from django import forms
from django.urls import reverse
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets.button import Button

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, local_date
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.views import AddView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.core.errors import Invalid
from commerce.common.types import MAX_EMAIL
from commerce.members.selectors import find_member
from commerce.members.types import MemberStatus

from ..models import PointsBalance
from ..selectors import balances, entries, members_named
from ..services import adjust
from ..types import MAX_NOTE, MAX_POINTS

#: Ledger entries shown on a balance's page.
SHOWN_ENTRIES = 20


class AdjustForm(RecordForm):
    email = forms.EmailField(max_length=MAX_EMAIL, label="Member's email")
    points = forms.IntegerField(
        min_value=-MAX_POINTS, max_value=MAX_POINTS, help_text="Use a minus sign to remove points, for example -20."
    )
    note = forms.CharField(max_length=MAX_NOTE, help_text="The reason for the adjustment. Members do not see it.")


class AdjustView(AddView):
    page_title = "Adjust points"
    success_message = "Points of %(object)s adjusted."
    error_message = "The points could not be adjusted due to errors."
    submit_button_label = "Adjust"
    submit_button_active_label = "Adjusting…"

    def get_page_subtitle(self) -> str:
        return self.page_title

    def get_initial(self) -> dict[str, Any]:
        return {"email": self.request.GET.get("email", "")}

    def get_breadcrumbs_items(self) -> list[dict[str, str]]:
        home = {"url": reverse("loyalty_balances:index"), "label": "Points"}
        return [*self.breadcrumbs_items, home, {"url": "", "label": self.page_title}]


def ledger_url(balance: PointsBalance) -> str:
    return set_query_params(reverse("loyalty_ledger:index"), {"member": balance.member_id})


class BalanceViewSet(RecordViewSet):
    model = PointsBalance
    icon = "pick"
    menu_label = "Points"
    menu_order = 10
    name = "loyalty_balances"
    url_prefix = "loyalty"
    pages = ("add", "inspect", "history")
    add_label = "Adjust points"
    ordering = ("-points", "-id")
    add_view_class = AdjustView
    inspect_template_name = "loyalty_admin/balance.html"
    list_display = (
        RecordColumn("member", label="Member"),
        Column("email", label="Email", accessor="member.email"),
        StatusColumn(
            "status", label="Status", accessor="member.get_status_display", primary=lambda balance: balance.member.is_active
        ),
        Column("points", label="Points", sort_key="points"),
        MomentColumn("updated_at", label="Changed"),
    )
    filters = {"status": filters.choice(MemberStatus.choices, field_name="member__status", label="Status")}
    search = members_named
    csv = {
        "Member": "member.name",
        "Email": "member.email",
        "Status": "member.status",
        "Points": "points",
        "Changed": "updated_at",
    }
    form = AdjustForm
    panels = (FieldPanel("email"), FieldPanel("points"), FieldPanel("note"))

    def records(self) -> Any:
        return balances()

    def create(self, values: dict[str, Any], user: Any) -> PointsBalance:
        member = find_member(values["email"])
        if member is None:
            raise Invalid({"email": "No member has this email."})
        adjust(member=member, points=values["points"], note=values["note"], user=user)
        return PointsBalance.objects.get(member=member)

    def record_buttons(self, record: PointsBalance, user: Any) -> list[Button]:
        return [Button("Ledger", url=ledger_url(record), icon_name="list-ul", priority=5)]

    def facts(self, record: PointsBalance) -> dict[str, Any]:
        status = "" if record.member.is_active else f" ({record.member.get_status_display().lower()})"
        return {"Points": record.points, "Member": f"{record.member}{status}", "Email": record.member.email}

    def inspect_context(self, record: PointsBalance, request: Any) -> dict[str, Any]:
        latest = entries().filter(member=record.member)[:SHOWN_ENTRIES]
        adjust_url = set_query_params(reverse("loyalty_balances:add"), {"email": record.member.email})
        return {
            "latest": [(entry, local_date(entry.created_at)) for entry in latest],
            "ledger_url": ledger_url(record),
            "adjust_url": adjust_url,
        }
