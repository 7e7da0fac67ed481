"""The documents of invoices, estimates, credit notes and payments, as data of their templates in `templates/documents`."""

from datetime import date, datetime, time
from typing import Any

from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.selectors import format_money
from commerce.common.services.documents import Document, Pdf, make_document, typeset

from ..models import CreditNote, Invoice
from ..selectors.invoices import today
from . import sums
from .words import day_of


def invoice_pdf(invoice: Invoice) -> Pdf:
    return typeset(invoice_document(invoice))


def invoice_document(invoice: Invoice) -> Document:
    """Return an invoice or estimate as a document; that of a draft says so."""
    title = invoice.get_kind_display()
    items = sums.items(invoice)
    last_day = "Due date" if invoice.is_invoice else "Valid until"
    data = {
        "title": f"Draft {title.lower()}" if invoice.is_draft else title,
        "number": invoice.number or "",
        "headline": _headline(invoice),
        "addressed": "Bill to" if invoice.is_invoice else "Prepared for",
        "facts": [
            ["Date", site_formats().date(invoice.issue_date)],
            *([[last_day, site_formats().date(invoice.due_date)]] if invoice.due_date else []),
            *([["Your reference", invoice.reference]] if invoice.reference else []),
        ],
        "items": items,
        "is_taxed": any(item["tax"] for item in items),
        "sums": _rows(sums.totals(invoice)),
        "notes": _notes(("Notes", invoice.notes), ("Terms", invoice.terms)),
        **_parties(invoice),
    }
    return make_document("invoice", data, at=_at(invoice.issue_date))


def credit_note_pdf(note: CreditNote) -> Pdf:
    return typeset(credit_note_document(note))


def credit_note_document(note: CreditNote) -> Document:
    """Return a credit note as a document: what it takes back of each tax rate."""
    invoice = note.invoice
    data = {
        "title": "Credit note",
        "number": note.number,
        "headline": f"Credit of {format_money(note.total)} for invoice {invoice.number}",
        "facts": [
            ["Date", site_formats().date(note.issue_date)],
            ["Invoice", str(invoice.number)],
            ["Invoice date", site_formats().date(invoice.issue_date)],
            *([["Your reference", invoice.reference]] if invoice.reference else []),
        ],
        "items": sums.credited_items(note),
        "parts": sums.list_credited(note),
        "sums": _rows(sums.credited_totals(note)),
        "notes": _notes(("Reason", note.reason)),
        **_parties(invoice),
    }
    return make_document("credit_note", data, at=_at(note.issue_date))


def receipt_pdf(invoice: Invoice, payment: Any) -> Pdf:
    return typeset(receipt(invoice, payment))


def receipt(invoice: Invoice, payment: Any) -> Document:
    """Return the receipt of one payment of an invoice, with the balance as of today."""
    paid, day = format_money(payment.amount), day_of(payment.paid_at)
    data = {
        "title": "Receipt",
        "number": str(invoice.number),
        "headline": f"{paid} paid on {day}",
        "facts": [
            ["Payment date", day],
            ["Payment method", payment.get_method_display()],
            *([["Reference", payment.typed_reference]] if payment.typed_reference else []),
            ["Invoice", str(invoice.number)],
            ["Invoice date", site_formats().date(invoice.issue_date)],
        ],
        "sums": [
            {"label": "Invoice total", "amount": format_money(invoice.total), "is_total": False},
            {"label": "Amount paid", "amount": paid, "is_total": True},
            {
                "label": f"Balance due on {site_formats().date(today())}",
                "amount": format_money(invoice.balance),
                "is_total": False,
            },
        ],
        **_parties(invoice),
    }
    return make_document("payment", data, at=payment.paid_at)


def _headline(invoice: Invoice) -> str:
    """Return the sentence below the title: "$180.00 due March 4, 2026"."""
    amount = f"{format_money(invoice.total)} due" if invoice.is_invoice else format_money(invoice.total)
    if invoice.due_date is None:
        return amount
    day = site_formats().date(invoice.due_date)
    return f"{amount} {day}" if invoice.is_invoice else f"{amount}, valid until {day}"


def _parties(invoice: Invoice) -> dict[str, Any]:
    """Return the client, and the business as of issuing."""
    return {"client": [invoice.client_name, *invoice.client_lines], **invoice.seller}


def _notes(*notes: tuple[str, str]) -> list[dict[str, str]]:
    return [{"label": label, "text": text} for label, text in notes if text]


def _rows(rows: list[sums.Row]) -> list[dict[str, Any]]:
    return [{"label": label, "amount": amount, "is_total": label == sums.TOTAL} for label, amount in rows]


def _at(day: date) -> datetime:
    """Return the moment that a document bears: the same for the same day, so that its bytes are the same."""
    return datetime.combine(day, time(12), tzinfo=site_timezone())
