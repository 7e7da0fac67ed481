"""Demo clients, invoices and estimates of the last half year: three and more of every status.

Clients are recognized by their addresses, documents by their references. No events are emitted and no emails sent.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from dateutil.relativedelta import relativedelta
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, pick
from cms_api.flags.selectors import site_timezone
from commerce.common.services.documents import business
from commerce.common.types.money import Money
from commerce.common.types.periods import Interval
from commerce.payments.services import store_payment
from commerce.payments.types import Method

from .models import Client, Invoice, RecurringInvoice
from .selectors.invoices import today
from .services import convert_estimate, credit_invoice, save_invoice, save_recurring, switch_recurring
from .services.numbers import give_number
from .services.pdfs import store_pdf
from .types.invoices import PARTIAL, PAYABLE, Kind, Status
from .types.recurring import Delivery

DOMAIN = "clients.example"
DATA = data_beside(__file__)
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
    for planned in sorted((*_plan(Kind.INVOICE, scale), *_plan(Kind.ESTIMATE, scale))):
        if planned.reference not in known:
            made = _make(planned, pick(clients, planned.number + planned.number // len(clients)))
            accepted += [made] if planned.status == Status.ACCEPTED else []
            progress(1)
    if accepted:
        convert_estimate(estimate=accepted[0])
    _recurring(clients, progress)


def _clients(progress: Callable[[int], None]) -> Iterator[Client]:
    known = {client.email: client for client in Client.objects.filter(email__endswith=f"@{DOMAIN}")}
    for number, row in enumerate(DATA["clients"]):
        email, now = f"client{number + 1}@{DOMAIN}", timezone.now()
        if email not in known:
            known[email] = Client.objects.create(email=email, created_at=now, updated_at=now, **row)
            get_search_backend().add(known[email])
            progress(1)
        yield known[email]


def _plan(kind: str, scale: int) -> Iterator[Planned]:
    rows = DATA["statuses"][kind]
    for place, row in enumerate(rows):
        for turn in range(ROUNDS * scale):
            age = row["youngest_days"] + turn * row["apart_days"] % (row["apart_days"] * ROUNDS)
            yield Planned(today() - timedelta(days=age), kind, turn * len(rows) + place, row["status"])


@transaction.atomic
def _make(planned: Planned, client: Client) -> Invoice:
    tax = DATA["tax"] if client.country == "GB" else {}
    items = [{**pick(DATA["work"], planned.number * 2 + step * 3), **tax} for step in range(1 + planned.number % 3)]
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
        credit_invoice(invoice=invoice, amount_cents=2_000, reason="Two chairs were not delivered.", send_email=False)
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
    by_name = {client.name: client for client in clients}
    for row in DATA["recurring"]:
        client, name, interval = by_name[row["client"]], row["name"], Interval(row["interval"])
        if RecurringInvoice.objects.filter(client=client, name=name).exists():
            continue
        item = {"description": name, "quantity": "1", "unit_price_cents": row["unit_price_cents"], **DATA["tax"]}
        values = {
            "name": name,
            "client": client,
            "items": [item],
            "starts_on": today().replace(day=1) + relativedelta(months=1),
            "interval": interval,
            "delivery": Delivery.DRAFT,
        }
        saved = save_recurring(values=values)
        if interval == Interval.YEAR:
            switch_recurring(recurring=saved, on=False)
        progress(1)
