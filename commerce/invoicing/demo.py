"""Demo clients, invoices and estimates of the last half year: three and more of every status.

Clients are recognized by their addresses, documents by their references. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.flags.selectors import site_timezone
from commerce.common.services.documents import business
from commerce.common.types.money import Money, minor_units
from commerce.common.types.periods import Interval
from commerce.payments.services import store_payment
from commerce.payments.types import Method

from .models import Client, Invoice, RecurringInvoice
from .selectors.invoices import today
from .services import convert_estimate, credit_invoice, save_invoice, save_recurring, switch_recurring
from .services.numbers import give_number
from .services.pdfs import store_pdf
from .types.invoices import OVERDUE, PARTIAL, PAYABLE, Kind, Status
from .types.recurring import Delivery

DOMAIN = "clients.example"
#: Name, person, address, town, postal code, country and tax ID.
CLIENTS = (
    ("Nordlicht GmbH", "Lena Brandt", "Hafenstrasse 12", "Hamburg", "20457", "DE", "DE811907980"),
    ("Reyes Ceramics, Inc.", "Dana Reyes", "14 Canal Street", "Brattleboro", "05301", "US", ""),
    ("Hale & Sons Ltd", "Ida Hale", "2 Mill Lane", "Hebden Bridge", "HX7 8AA", "GB", "GB123456782"),
    ("Calder Valley School", "Noor de Vries", "52 Station Approach", "Hebden Bridge", "HX7 6JE", "GB", ""),
    ("Brass on the Water", "Tom Hale", "3 Wharf Road", "Bristol", "BS1 4DJ", "GB", ""),
    ("Priya Nair", "", "7 Orchard Close", "Leeds", "LS1 4AP", "GB", ""),
)
#: Description, price in major units and quantity.
WORK = (
    ("Hire of the great hall, one day", 750, "2"),
    ("Sound engineer, hours", 80, "4.5"),
    ("Ceramics workshop for a group", 320, "1"),
    ("Chairs and tables", 6, "40"),
    ("Kiln firing, stoneware", 65, "3"),
    ("Studio rent, month", 480, "1"),
    ("Catering, per person", 18, "35"),
)
#: The statuses in turn, with the age in days of the youngest one, and how many days apart the others are.
INVOICES = (
    (Status.PAID, 40, 43),
    (Status.VOID, 66, 31),
    (OVERDUE, 38, 17),
    (PARTIAL, 12, 6),
    (Status.SENT, 4, 5),
    (Status.DRAFT, 0, 1),
)
ESTIMATES = ((Status.DECLINED, 50, 21), (Status.ACCEPTED, 9, 11), (Status.SENT, 3, 6), (Status.DRAFT, 0, 1))
#: Rounds of all statuses at scale 1.
ROUNDS = 3
DUE_DAYS = 30


@dataclass(frozen=True, slots=True, order=True)
class Planned:
    """An invoice or estimate that the demo has; sorted by date, so that their numbers are."""

    day: date
    kind: str
    number: int
    status: str

    @property
    def reference(self) -> str:
        return f"{'PO' if self.kind == Kind.INVOICE else 'RFQ'}-{2041 + self.number}"

    @property
    def at(self) -> datetime:
        moment = datetime.combine(self.day, time(9 + self.number % 8, self.number * 13 % 60), tzinfo=site_timezone())
        return min(moment, timezone.now())


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    clients = list(_clients(progress))
    known = set(Invoice.objects.filter(client__in=clients).values_list("reference", flat=True))
    accepted = []
    for planned in sorted((*_plan(Kind.INVOICE, INVOICES, scale), *_plan(Kind.ESTIMATE, ESTIMATES, scale))):
        if planned.reference not in known:
            made = _make(planned, clients[(planned.number + planned.number // len(clients)) % len(clients)])
            accepted += [made] if planned.status == Status.ACCEPTED else []
            progress(1)
    if accepted:
        convert_estimate(estimate=accepted[0])
    _recurring(clients, progress)


def _clients(progress: Callable[[int], None]) -> Iterator[Client]:
    known = {client.email: client for client in Client.objects.filter(email__endswith=f"@{DOMAIN}")}
    for number, (name, person, street, city, code, country, tax_id) in enumerate(CLIENTS):
        email = f"client{number + 1}@{DOMAIN}"
        if email not in known:
            address = {"street": street, "city": city, "postal_code": code, "country": country}
            now = timezone.now()
            known[email] = Client.objects.create(
                name=name, contact_name=person, email=email, tax_id=tax_id, created_at=now, updated_at=now, **address
            )
            get_search_backend().add(known[email])
            progress(1)
        yield known[email]


def _plan(kind: str, statuses: Any, scale: int) -> Iterator[Planned]:
    for place, (status, youngest, apart) in enumerate(statuses):
        for turn in range(ROUNDS * scale):
            age = youngest + turn * apart % (apart * ROUNDS)
            yield Planned(today() - timedelta(days=age), kind, turn * len(statuses) + place, status)


@transaction.atomic
def _make(planned: Planned, client: Client) -> Invoice:
    tax = {"tax_percent": "20", "tax_label": "VAT"} if client.country == "GB" else {}
    items = []
    for step in range(1 + planned.number % 3):
        description, price, quantity = WORK[(planned.number * 2 + step * 3) % len(WORK)]
        items.append({"description": description, "quantity": quantity, "unit_price_cents": _cents(price), **tax})
    values = {
        "client": client,
        "items": items,
        "reference": planned.reference,
        "notes": "Thank you for your order." if planned.number % 2 else "",
        "prices_include_tax": False,
        "discount_percent": "10" if planned.number % 4 == 1 else "0",
        "issue_date": planned.day,
        "due_days": DUE_DAYS,
    }
    invoice = save_invoice(values=values, kind=planned.kind)
    invoice.created_at = invoice.updated_at = planned.at
    if planned.status == Status.VOID:
        give_number(invoice)
        invoice.status, invoice.decided_at, invoice.balance_due_cents = Status.VOID, planned.at, 0
        invoice.decision_note = "The booking was cancelled."
    elif planned.status != Status.DRAFT:
        _issue(invoice, planned)
    invoice.save()
    if planned.status == PARTIAL:
        credit_invoice(invoice=invoice, amount_cents=_cents(20), reason="Two chairs were not delivered.", send_email=False)
    return invoice


def _issue(invoice: Invoice, planned: Planned) -> None:
    give_number(invoice)
    invoice.seller, invoice.status, invoice.sent_at = business(), Status.SENT, planned.at
    get_search_backend().add(invoice)
    if not invoice.is_invoice:
        if planned.status != Status.SENT:
            invoice.status, invoice.decided_at = Status(planned.status), min(planned.at + timedelta(days=3), timezone.now())
            invoice.decided_by = invoice.client.contact_name or invoice.client.name
            invoice.decision_note = "" if planned.status == Status.ACCEPTED else "We have found another date."
        return
    invoice.save()
    store_pdf(invoice)
    part = {Status.PAID: invoice.total_cents, PARTIAL: invoice.total_cents // 2}.get(planned.status, 0)
    if part:
        _pay(invoice, part, min(planned.at + timedelta(days=8), timezone.now()))


def _pay(invoice: Invoice, cents: int, at: datetime) -> None:
    store_payment(
        payable=PAYABLE,
        record_id=invoice.pk,
        amount=Money(cents, invoice.currency),
        method=Method.BANK_TRANSFER,
        paid_at=at,
        description=f"Invoice {invoice.number}",
        email=invoice.email,
        typed_reference=f"FT-{88_000 + invoice.pk}",
    )
    invoice.amount_paid_cents, invoice.balance_due_cents = cents, invoice.total_cents - cents
    if not invoice.balance_due_cents:
        invoice.status, invoice.paid_at = Status.PAID, at


def _recurring(clients: list[Client], progress: Callable[[int], None]) -> None:
    """Create a recurring invoice that is active, and one that is paused. They make drafts, so that no emails are sent."""
    for client, name, interval in ((clients[2], "Studio rent", Interval.MONTH), (clients[3], "Summer school", Interval.YEAR)):
        if RecurringInvoice.objects.filter(client=client, name=name).exists():
            continue
        rent = {"description": "Studio rent", "quantity": "1", "unit_price_cents": _cents(480), "tax_percent": "20"}
        values = {
            "name": name,
            "client": client,
            "items": [{**rent, "description": name, "tax_label": "VAT"}],
            "starts_on": today().replace(day=1) + relativedelta(months=1),
            "interval": interval,
            "delivery": Delivery.DRAFT,
        }
        saved = save_recurring(values=values)
        if interval == Interval.YEAR:
            switch_recurring(recurring=saved, on=False)
        progress(1)


def _cents(amount: int) -> int:
    return minor_units(amount, settings.SITE_CURRENCY)
