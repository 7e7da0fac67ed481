"""The parts of emails about invoices."""

from datetime import date

from django.utils.html import linebreaks

from cms_api.core.module import Block
from cms_api.flags.selectors import site_formats

from ..models import Invoice
from ..types.invoices import Status
from .words import is_past


def message_block(text: str) -> Block:
    """Return what a person typed, as paragraphs; nothing for no text."""
    return Block(text, linebreaks(text, autoescape=True)) if text else Block("", "")


def due_sentence(invoice: Invoice, today: date, *, can_pay: bool) -> str:
    """Return until when a client has to pay, or can accept an estimate; `can_pay` is whether payments are taken online."""
    day = site_formats().date(invoice.due_date) if invoice.due_date else ""
    verb = "was" if is_past(invoice, today) else "is"
    if invoice.status == Status.ACCEPTED:
        return "It has been accepted."
    if not invoice.is_invoice:
        return f"You can accept it until {day}." if day else "You can accept it online."
    if invoice.status == Status.PAID:
        return "It has been paid."
    if invoice.is_processing:
        return "Your payment is on its way."
    return " ".join([*([f"It {verb} due on {day}."] if day else []), *(["You can pay online."] if can_pay else [])])
