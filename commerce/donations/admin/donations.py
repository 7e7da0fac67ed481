"""Donations in the admin."""

from typing import Any

from django.db.models import QuerySet
from django.urls import URLPattern, reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, local_date
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.views import AddView
from cms_api.text.search import matching
from commerce.common.admin.addresses import address_panel
from commerce.common.admin.cells import amount, day, figure, link
from commerce.common.selectors import format_money
from commerce.common.types.codes import number_key
from commerce.common.types.money import Money
from commerce.sales.admin import SaleStatusColumn, SaleViewSet, amounts_for_csv, currency, refund_button
from commerce.sales.resources import Row, refunded_row

from ..models import Campaign, Donation
from ..resources import mails
from ..selectors.donations import DONATION_LINK, donations, of_frequency, recurring_url
from ..services import DONATIONS, record_donation, send_receipt_again
from ..services.paying import SERIES
from ..types.donations import PAYABLE, RECURRING, DonationStatus, Frequency
from .documents import paid_year, patterns
from .forms import DonationForm
from .parts import DONATION_TONES, gift_facts, purpose_note


def by_frequency(found: QuerySet[Donation], name: str, value: str) -> QuerySet[Donation]:
    return of_frequency(found, value)


def find(found: QuerySet[Donation], text: str) -> QuerySet[Donation]:
    """Search donations by their receipt, such as `DON-1001`, or by words."""
    key = number_key(text)
    return found.filter(number=key) if key.startswith(f"{SERIES}-") else matching(found, text)


def fee_note(donation: Donation) -> str:
    if not donation.fee_cover_cents:
        return ""
    return f"with {format_money(Money(donation.fee_cover_cents, donation.currency))} for the fee"


def frequency_note(donation: Donation) -> str:
    return "Renewal" if donation.is_renewal else ""


class RecordView(AddView):
    """Records a donation that has arrived outside the site."""

    page_title = "Record donation"
    submit_button_label, submit_button_active_label = "Record", "Recording"

    def get_page_subtitle(self) -> str:
        return self.page_title

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*super().get_breadcrumbs_items()[:-1], {"url": "", "label": self.page_title}]

    def get_success_message(self, instance: Donation) -> str:
        return f"{instance} recorded. The donor has been emailed the receipt."


class DonationViewSet(SaleViewSet):
    model = Donation
    payable, customer_link, customer_label, tones = PAYABLE, DONATION_LINK, "Donor's page", DONATION_TONES
    icon = "pick"
    menu_label = "Donations"
    menu_order = 10
    name = "donations"
    pages = ("add", "inspect", "history")
    add_label = "Record donation"
    add_view_class = RecordView
    list_display = (
        RecordColumn("name", label="Donor", accessor="name", sort_key="last_name"),
        NotedColumn("amount_cents", label="Amount", accessor=amount("total_cents"), note=fee_note, sort_key="amount_cents"),
        SaleStatusColumn(),
        NotedColumn("frequency", label="Frequency", accessor="get_frequency_display", note=frequency_note),
        NotedColumn("campaign", label="Campaign", accessor=lambda each: each.campaign or "", note=purpose_note),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "status": filters.choice(DonationStatus.choices),
        "frequency": filters.choice([(RECURRING, "Monthly or yearly"), *Frequency.choices], method=by_frequency),
        "campaign": filters.record(Campaign.objects.all()),
        "created_at": filters.date_range("Created"),
        "paid_at": filters.date_range("Paid"),
    }
    search = find
    search_order = 183
    csv = {
        "Receipt": "number",
        "Status": "status",
        "First name": "first_name",
        "Last name": "last_name",
        "Email": "email",
        "Phone": "phone",
        "Street": "street",
        "Street, second line": "street2",
        "Postal code": "postal_code",
        "City": "city",
        "State or region": "state",
        "Country": "country",
        "Anonymous": lambda each: "yes" if each.is_anonymous else "no",
        **amounts_for_csv("amount"),
        "Fee covered": figure("fee_cover_cents"),
        **amounts_for_csv("total", "refunded"),
        "Currency": currency,
        "Frequency": "frequency",
        "Campaign": lambda each: each.campaign.name if each.campaign else "",
        "Fundraiser": lambda each: each.fundraiser.name if each.fundraiser else "",
        "Designation": "designation",
        "Tribute": mails.tribute,
        "Message of the tribute": "tribute_message",
        "Email about the tribute": "tribute_email",
        "Message": "message",
        "Created": "created_at",
        "Paid": "paid_at",
    }
    form = DonationForm
    panels = (
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("total"), FieldPanel("method")]),
                FieldRowPanel([FieldPanel("paid_on"), FieldPanel("reference")]),
                FieldPanel("note"),
            ],
            heading="Payment",
            icon="tag",
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("first_name"), FieldPanel("last_name")]),
                FieldRowPanel([FieldPanel("email", help_text="Gets the receipt."), FieldPanel("phone")]),
                FieldPanel("is_anonymous", help_text="The donor is not named in public."),
                FieldPanel("message", help_text="Shown beside the donor's name on the page of the campaign."),
            ],
            heading="Donor",
            icon="user",
        ),
        address_panel(help_text="Optional. Printed on the receipt."),
        MultiFieldPanel(
            [FieldRowPanel([FieldPanel("campaign"), FieldPanel("fundraiser")]), FieldPanel("designation")],
            heading="Purpose",
            icon="pick",
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("tribute_type"), FieldPanel("tribute_name")]),
                FieldPanel("tribute_email", help_text="Gets an email about the tribute, which doesn't mention the amount."),
                FieldPanel("tribute_message"),
            ],
            heading="Tribute",
            icon="mail",
        ),
    )
    transitions = (
        Transition(
            "send_receipt",
            "Send receipt again",
            calling(send_receipt_again, "donation"),
            lambda donation: f"Receipt {donation.number} sent to {donation.email}.",
            offered=lambda donation: donation.paid_at is not None,
            confirm=lambda donation: f"{donation.email} gets an email with receipt {donation.number} attached.",
        ),
        refund_button(
            DONATIONS,
            offered=lambda donation: donation.status == DonationStatus.PAID,
            confirm=lambda donation: (
                "The donor gets an email once the money is on its way back."
                + (" The recurring donation goes on. Cancel it if the donor wants to stop." if donation.recurring_id else "")
            ),
        ),
    )

    def records(self) -> QuerySet[Donation]:
        return donations().select_related("recurring")

    def create(self, values: dict[str, Any], user: Any) -> Donation:
        gift = dict(values)
        causes = {name: gift.pop(name) for name in ("campaign", "fundraiser")}
        return record_donation(values=gift, **causes, user=user)

    def list_buttons(self, user: Any) -> list[BaseButton]:
        if not user.has_perm("donations.change_donation"):
            return []
        return [HeaderButton("Yearly statements", url=reverse(self.get_url_name("statements")), icon_name="mail")]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return patterns(self)

    def facts(self, record: Donation) -> dict[str, Any]:
        recurring = record.recurring
        return {
            **super().facts(record),
            "Receipt": record.number,
            "Amount": format_money(record.total),
            "Frequency": " · ".join(filter(None, (record.get_frequency_display(), frequency_note(record)))),
            "Recurring donation": link(recurring, recurring_url(recurring.pk)) if recurring else None,
            "Date of the renewal": day(record.period) if record.is_renewal else None,
            **gift_facts(record),
            "Created": record.created_at,
            "Paid": record.paid_at,
        }

    def get_note(self, sale: Donation) -> str:
        """Return what a donation waits for, or how much of it went back."""
        if sale.charge_at and not sale.is_processing:
            next_charge = f"will be charged {local_date(sale.charge_at)}"
            return f"Card declined, {next_charge}" if sale.declines else f"Card {next_charge}"
        return super().get_note(sale) or ("Awaiting payment" if sale.status == DonationStatus.PENDING else "")

    def get_sums(self, sale: Donation) -> list[Row]:
        return [*mails.sums_of(sale), *refunded_row(sale)]

    def get_links(self, sale: Donation) -> list[tuple[str, str]]:
        documents = []
        if sale.paid_at:
            receipt, statement = (reverse(self.get_url_name(name), args=[sale.pk]) for name in ("receipt", "statement"))
            documents = [(receipt, "Receipt (PDF)"), (statement, f"Statement of {paid_year(sale)} (PDF)")]
        return [*documents, *super().get_links(sale)]

    def record_buttons(self, record: Donation, user: Any) -> list[BaseButton]:
        if record.paid_at is None:
            return []
        url = reverse(self.get_url_name("receipt"), args=[record.pk])
        return [Button("Receipt (PDF)", url=url, icon_name="doc-full", priority=12)]
