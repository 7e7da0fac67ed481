"""The items of an invoice and the sums below them, as pages, emails and documents show them."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from cms_api.flags.selectors import site_formats
from commerce.common.resources import rounding_rows
from commerce.common.selectors import format_cents, format_money

from ..models import CreditNote, Invoice
from ..types.invoices import Status

#: A label and a formatted amount.
Row = tuple[str, str]
TOTAL, BALANCE = "Total", "Balance due"


def items(invoice: Invoice) -> list[dict[str, Any]]:
    """Return the items: `name`, `notes` (their own discounts), `quantity`, `price`, `tax` (empty for none) and `amount`."""
    return [
        {
            "name": item.description,
            "notes": [f"{percent(item.discount_percent)} discount"] if item.discount_percent else [],
            "quantity": site_formats().number(plain(item.quantity)),
            "price": format_cents(item.unit_price_cents, invoice.currency),
            "tax": percent(item.tax_percent) if item.tax_percent else "",
            "amount": format_cents(item.total_cents, invoice.currency),
        }
        for item in invoice.items.all()
    ]


def totals(invoice: Invoice) -> list[Row]:
    """Return the sums of an invoice or estimate as it was issued; the last one that is no tax is the total."""
    money = partial(format_cents, currency=invoice.currency)
    rows = []
    if invoice.taken_off_cents:
        part = invoice.discount_percent
        label = f"Discount ({percent(part)})" if part else "Discount"
        rows = [("Subtotal", money(invoice.subtotal_cents)), (label, money(-invoice.taken_off_cents))]
    elif invoice.tax_cents and not invoice.prices_include_tax:
        rows = [("Subtotal", money(invoice.subtotal_cents))]
    taxes = [(tax_label(tax["label"], tax["percent"]), money(tax["tax_cents"])) for tax in invoice.taxes]
    parts = invoice.subtotal_cents - invoice.taken_off_cents + (0 if invoice.prices_include_tax else invoice.tax_cents)
    last = [*rounding_rows(invoice.total_cents, parts, invoice.currency), (TOTAL, money(invoice.total_cents))]
    if invoice.prices_include_tax:
        return [*rows, *last, *((f"Includes {label}", cents) for label, cents in taxes)]
    return [*rows, *taxes, *last]


def balance(invoice: Invoice) -> list[Row]:
    """Return what has been paid and credited, and what is left; nothing as long as nothing was."""
    if not (invoice.amount_paid_cents or invoice.credited_cents):
        return []
    rows = []
    if invoice.amount_paid_cents:
        rows.append(("Paid", format_cents(-invoice.amount_paid_cents, invoice.currency)))
    if invoice.credited_cents:
        rows.append(("Credited", format_cents(-invoice.credited_cents, invoice.currency)))
    left = max(0, invoice.total_cents - invoice.amount_paid_cents - invoice.credited_cents)
    rounding = [] if invoice.status == Status.VOID else rounding_rows(invoice.balance_due_cents, left, invoice.currency)
    return [*rows, *rounding, (BALANCE, format_money(invoice.balance))]


def credited_items(note: CreditNote) -> list[Sequence[str]]:
    """Return the items that a credit note names: the description, the quantity, and the amount with tax."""
    return [
        [
            item.description,
            site_formats().number(Decimal(item.quantity)),
            format_cents(item.gross_cents, note.invoice.currency),
        ]
        for item in note.credited_items
    ]


def list_credited(note: CreditNote) -> list[Sequence[str]]:
    """Return what a credit note takes back of each tax rate: its label, the net amount, the tax, and the sum of both."""
    money = partial(format_cents, currency=note.invoice.currency)
    return [
        [
            tax_label(part.label, part.percent) if part.label else "No tax",
            money(part.net_cents),
            money(part.tax_cents),
            money(part.gross_cents),
        ]
        for part in note.taken
        if part.gross_cents
    ]


def credited_totals(note: CreditNote) -> list[Row]:
    """Return the sums of a credit note: the rounding of the invoice's total that it takes back with items, and the total."""
    items = note.total_cents - note.rounding_cents
    return [*rounding_rows(note.total_cents, items, note.invoice.currency), (TOTAL, format_money(note.total))]


def tax_label(label: str, rate: str) -> str:
    """Return `VAT 20%`."""
    return f"{label} {percent(Decimal(rate))}"


def percent(value: Decimal) -> str:
    return f"{site_formats().number(plain(value))}%"


def plain(value: Decimal) -> Decimal:
    """Return a decimal without the zeros that its column adds."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()
