"""The documents of invoices, estimates, credit notes and payments, as data of their templates in `templates/documents`."""

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from django.utils import timezone

from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.selectors import format_money
from commerce.common.services.documents import Pdf, render_pdf
from commerce.common.types.money import Money

from ..models import CreditNote, Invoice, InvoiceItem
from . import sums

TOTAL = "Total"


def invoice_pdf(invoice: Invoice) -> Pdf:
    """Return an invoice or estimate as a document; that of a draft says so."""
    title = invoice.get_kind_display()
    facts = [
        ["Date", _day(invoice.issue_date)],
        *([["Due date" if invoice.is_invoice else "Valid until", _day(invoice.due_date)]] if invoice.due_date else []),
        *([["Your reference", invoice.reference]] if invoice.reference else []),
    ]
    data = {
        "title": f"Draft {title.lower()}" if invoice.is_draft else title,
        "number": invoice.number or "",
        "facts": facts,
        "client": [invoice.client_name, *invoice.client_lines],
        "items": [_item(invoice, item) for item in invoice.items.all()],
        "sums": _rows(sums.totals(invoice)),
        "notes": [text for text in (_inclusive(invoice), invoice.notes, invoice.terms) if text],
        **invoice.seller,
    }
    return render_pdf("invoice", data, at=_at(invoice.issue_date))


def credit_note_pdf(note: CreditNote) -> Pdf:
    """Return a credit note as a document."""
    invoice = note.invoice
    data = {
        "title": "Credit note",
        "number": note.number,
        "facts": [
            ["Date", _day(note.issue_date)],
            ["Invoice", str(invoice.number)],
            ["Invoice date", _day(invoice.issue_date)],
        ],
        "client": [invoice.client_name, *invoice.client_lines],
        "items": [],
        "sums": _rows(sums.credited(note)),
        "notes": [note.reason],
        **invoice.seller,
    }
    return render_pdf("invoice", data, at=_at(note.issue_date))


def receipt_pdf(invoice: Invoice, payment: Any) -> Pdf:
    """Return the receipt of one payment of an invoice, with the balance after it."""
    paid = format_money(payment.amount)
    data = {
        "title": "Receipt",
        "number": str(invoice.number),
        "facts": [
            ["Payment date", _day(timezone.localtime(payment.paid_at, site_timezone()).date())],
            ["Method", payment.get_method_display()],
            *([["Reference", payment.typed_reference]] if payment.typed_reference else []),
        ],
        "client": [invoice.client_name, *invoice.client_lines],
        "items": [{"name": f"Payment of invoice {invoice.number}", "notes": [], "quantity": "1", "price": paid, "amount": paid}],
        "sums": [
            {"label": "Invoice total", "amount": format_money(invoice.total), "is_total": False},
            {"label": "Paid now", "amount": paid, "is_total": True},
            {"label": "Balance due", "amount": format_money(invoice.balance), "is_total": False},
        ],
        "notes": [],
        **invoice.seller,
    }
    return render_pdf("invoice", data, at=payment.paid_at)


def _item(invoice: Invoice, item: InvoiceItem) -> dict[str, Any]:
    notes = []
    if item.discount_percent:
        notes.append(f"{_percent(item.discount_percent)} discount")
    if item.tax_percent:
        notes.append(f"{item.tax_label} {_percent(item.tax_percent)}")
    return {
        "name": item.description,
        "notes": notes,
        "quantity": site_formats().number(item.quantity.normalize()),
        "price": format_money(Money(item.unit_price_cents, invoice.currency)),
        "amount": format_money(Money(item.total_cents, invoice.currency)),
    }


def _percent(value: Decimal) -> str:
    return f"{site_formats().number(value.normalize())}%"


def _inclusive(invoice: Invoice) -> str:
    return "Prices include tax." if invoice.prices_include_tax and invoice.tax_cents else ""


def _rows(rows: list[sums.Row]) -> list[dict[str, Any]]:
    return [{"label": label, "amount": amount, "is_total": label == TOTAL} for label, amount in rows]


def _day(day: date | None) -> str:
    return site_formats().date(day) if day else ""


def _at(day: date) -> datetime:
    """Return the moment that a document bears: the same for the same day, so that its bytes are the same."""
    return datetime.combine(day, time(12), tzinfo=site_timezone())
