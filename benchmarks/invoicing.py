"""Cost of the lists of invoices among few and many: `python -m benchmarks.invoicing`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import sys
from datetime import timedelta
from typing import Any

from .growth import OLDEST_DAYS, Growth, compare, parser_of

#: How much more CPU a list may take among a hundred times as many invoices.
MAX_CPU_RATIO = 1.5
BATCH_ROWS = 2_000
#: Clients have a handful of invoices in either set.
INVOICES_EACH = 20
DUE_DAYS = 30
#: Kind, status and share of what was paid of 100 successive records.
STATES = (
    *[("invoice", "paid", 1)] * 74,
    *[("invoice", "sent", 0)] * 8,
    *[("invoice", "sent", 2)] * 4,
    *[("invoice", "draft", 0)] * 2,
    *[("invoice", "void", 0)] * 2,
    *[("estimate", "accepted", 0)] * 6,
    *[("estimate", "sent", 0)] * 2,
    *[("estimate", "declined", 0)] * 2,
)
TOTAL_CENTS = 10_825

LIST = "/api/v1/invoicing/invoices"
PATHS = {
    "API: invoices": LIST,
    "API: invoices, first page of a cursor": f"{LIST}?cursor=",
    "API: invoices, sort=updated_at": f"{LIST}?sort=updated_at&cursor=",
    "API: invoices, type=estimate": f"{LIST}?type=estimate&cursor=",
    "API: invoices, status=outstanding": f"{LIST}?status=outstanding",
    "API: invoices, outstanding, cursor": f"{LIST}?status=outstanding&cursor=",
    "API: invoices, status=overdue": f"{LIST}?status=overdue",
    "API: invoices, overdue, cursor": f"{LIST}?status=overdue&cursor=",
    "API: invoices, partial, cursor": f"{LIST}?status=partial&cursor=",
    "API: invoices, client_id": f"{LIST}?client_id=7",
    "API: invoices, email": f"{LIST}?email=client7@example.com",
    "API: invoices, since": f"{LIST}?since={{since}}",
    "API: invoices, since, cursor": f"{LIST}?since={{since}}&cursor=",
    "API: one invoice": f"{LIST}/INV-1007",
    "admin: invoices": "/admin/invoices/",
}


def main() -> int:
    growth = Growth("invoices", fill, ("invoicing",), "invoicing:read", PATHS, MAX_CPU_RATIO)
    return 1 if compare(growth, parser_of("python -m benchmarks.invoicing", __doc__).parse_args()) else 0


def fill(total: int) -> None:
    """Create invoices and estimates of two years, with one to three items each, in bulk. They are not in the search index."""
    from django.db import transaction
    from django.utils import timezone

    from commerce.invoicing.models import Client, Invoice, InvoiceItem

    now = timezone.now()
    clients = Client.objects.bulk_create(
        [
            Client(name=f"Client {number}", email=f"client{number}@example.com", created_at=now, updated_at=now)
            for number in range(total // INVOICES_EACH)
        ],
        batch_size=BATCH_ROWS,
    )
    for start in range(0, total, BATCH_ROWS):
        numbers = range(start, min(start + BATCH_ROWS, total))
        with transaction.atomic():
            invoices = Invoice.objects.bulk_create([an_invoice(number, total, clients, now) for number in numbers])
            items = [
                InvoiceItem(
                    invoice=invoice,
                    position=position,
                    description="Hire of the great hall, two days",
                    unit_price_cents=10_000,
                    total_cents=10_000,
                    tax_label="Sales tax",
                    tax_percent="8.25",
                    tax_cents=825,
                )
                for number, invoice in zip(numbers, invoices, strict=True)
                for position in range(1 + number % 3)
            ]
            InvoiceItem.objects.bulk_create(items)


def an_invoice(number: int, total: int, clients: list[Any], now: Any) -> Any:
    """Return an invoice or estimate, unsaved: those with higher numbers are younger. Its state does not depend on its age."""
    from commerce.invoicing.models import Invoice

    at = now - timedelta(days=OLDEST_DAYS) * (total - number) / total
    kind, status, part = STATES[number * 37 % len(STATES)]
    paid = TOTAL_CENTS // part if part else 0
    client = clients[number % len(clients)]
    is_due = kind == "invoice" and status in {"sent", "draft"}
    # One hundred of two is due in the future, so that there are partly paid ones that are not overdue.
    due = now if number // len(STATES) % 2 else at
    return Invoice(
        kind=kind,
        number=f"{'INV' if kind == 'invoice' else 'EST'}-{number + 1001:04d}",
        status=status,
        client=client,
        client_name=client.name,
        email=client.email,
        currency="usd",
        subtotal_cents=10_000,
        tax_cents=TOTAL_CENTS - 10_000,
        total_cents=TOTAL_CENTS,
        amount_paid_cents=paid,
        balance_due_cents=TOTAL_CENTS - paid if is_due else 0,
        issue_date=at.date(),
        due_date=(due + timedelta(days=DUE_DAYS)).date(),
        due_days=DUE_DAYS,
        sent_at=None if status == "draft" else at,
        paid_at=at if status == "paid" else None,
        created_at=at,
        updated_at=at,
    )


if __name__ == "__main__":
    sys.exit(main())
