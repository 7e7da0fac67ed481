"""Recurring donations in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.cells import day, figure, link

from ..models import Campaign, RecurringDonation
from ..resources import mails
from ..selectors.donations import MANAGE_LINK
from ..services import cancel_recurring, change_amount, pause_recurring, resume_recurring
from ..types.donations import INTERVALS, RecurringStatus
from .forms import ChangeAmountForm
from .parts import SHOWN_DONATIONS, gift_facts, purpose_note, rows

TONES = {
    RecurringStatus.PENDING: "warning",
    RecurringStatus.ACTIVE: "positive",
    RecurringStatus.PAST_DUE: "critical",
    RecurringStatus.PAUSED: "info",
}


def status_note(recurring: RecurringDonation) -> str:
    if recurring.status == RecurringStatus.PENDING:
        return "Awaiting the first payment"
    return "Card declined" if recurring.status == RecurringStatus.PAST_DUE else ""


def change(recurring: RecurringDonation, user: Any, values: Mapping[str, Any]) -> RecurringDonation:
    covers_fee = values.get("covers_fee", recurring.fee_cover_cents > 0)
    return change_amount(recurring=recurring, amount_cents=values["amount_cents"], covers_fee=covers_fee, user=user)


def changed_words(recurring: RecurringDonation) -> str:
    recurring.refresh_from_db(fields=["amount_cents", "fee_cover_cents"])
    return f"{recurring.name} now donates {mails.rhythm(recurring)}."


class RecurringDonationViewSet(RecordViewSet):
    model = RecurringDonation
    icon = "rotate"
    menu_label = "Recurring donations"
    menu_order = 20
    name = "recurring_donations"
    url_prefix = "donations/recurring"
    pages = ("inspect", "history")
    inspect_template_name = "donations_admin/recurring.html"
    list_display = (
        RecordColumn("name", label="Donor", accessor="name", sort_key="last_name"),
        Column("amount_cents", label="Amount", accessor=mails.rhythm, sort_key="amount_cents"),
        StatusColumn("status", label="Status", tone=lambda each: TONES.get(RecurringStatus(each.status), ""), note=status_note),
        NotedColumn("campaign", label="Campaign", accessor=lambda each: each.campaign or "", note=purpose_note),
        NotedColumn(
            "next_on",
            label="Next",
            accessor=lambda each: day(each.next_on),
            note=lambda each: str(each.method or ""),
            sort_key="next_on",
        ),
        MomentColumn("created_at", label="Created"),
    )
    nulls_last = ("next_on",)
    filters = {
        "status": filters.choice(RecurringStatus.choices),
        "frequency": filters.choice([(each.value, each.label) for each in INTERVALS]),
        "campaign": filters.record(Campaign.objects.all()),
        "next_on": filters.plain_date_range("Next"),
        "created_at": filters.date_range("Created"),
    }
    search = matching
    search_order = 184
    csv = {
        "Status": "status",
        "First name": "first_name",
        "Last name": "last_name",
        "Email": "email",
        "Phone": "phone",
        "Amount": figure("amount_cents"),
        "Fee covered": figure("fee_cover_cents"),
        "Total": figure("total_cents"),
        "Currency": lambda each: each.currency.upper(),
        "Frequency": "frequency",
        "Campaign": lambda each: each.campaign.name if each.campaign else "",
        "Fundraiser": lambda each: each.fundraiser.name if each.fundraiser else "",
        "Designation": "designation",
        "Card": lambda each: str(each.method or ""),
        "First date": "anchor",
        "Next date": "next_on",
        "Created": "created_at",
        "Cancelled": "cancelled_at",
    }
    transitions = (
        Transition(
            "pause",
            "Pause",
            calling(pause_recurring, "recurring"),
            "{record} is paused.",
            offered=lambda each: each.is_running,
            confirm="The card is not charged until you resume the donation. The donor is not emailed.",
        ),
        Transition(
            "resume",
            "Resume",
            calling(resume_recurring, "recurring"),
            "{record} goes on with its next date.",
            offered=lambda each: each.status == RecurringStatus.PAUSED and each.method_id is not None,
        ),
        Transition(
            "change_amount",
            "Change amount",
            change,
            changed_words,
            offered=lambda each: each.status != RecurringStatus.CANCELLED,
            form=ChangeAmountForm,
            on_page=True,
            confirm="The donor gets an email with a link that undoes it. Change it at the donor's request only.",
        ),
        Transition(
            "cancel",
            "Cancel donation",
            calling(cancel_recurring, "recurring"),
            "{record} cancelled. The donor has been emailed.",
            "{record} was already cancelled.",
            offered=lambda each: each.status != RecurringStatus.CANCELLED,
            serious=True,
            confirm="The card is never charged again, and the donor gets an email. Paid donations stay.",
        ),
    )

    def records(self) -> QuerySet[RecurringDonation]:
        return RecurringDonation.objects.select_related("campaign", "fundraiser", "method")

    def facts(self, record: RecurringDonation) -> dict[str, Any]:
        sums = [f"{label}: {text}" for label, text in mails.sums_of(record)]
        return {
            "Status": " · ".join(filter(None, (record.get_status_display(), status_note(record)))),
            "Amount": mails.rhythm(record),
            "Parts": ", ".join(sums[:-1]) or None,
            "First date": day(record.anchor) or None,
            "Next date": day(record.next_on) or "None",
            "Card": str(record.method) if record.method else "None",
            **gift_facts(record),
            "Donor's page": link("Open the page that the donor sees", MANAGE_LINK.path(record)),
            "Created": record.created_at,
            "Cancelled": record.cancelled_at,
        }

    def inspect_context(self, record: RecurringDonation, request: HttpRequest) -> dict[str, Any]:
        found = rows(record.donations.order_by("-created_at", "-pk")[: SHOWN_DONATIONS + 1])
        return {"donations": found[:SHOWN_DONATIONS], "has_more": len(found) > SHOWN_DONATIONS}
