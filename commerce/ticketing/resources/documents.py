"""Tickets as PDF, a page for each, to be printed or shown on a phone."""

from collections.abc import Sequence
from typing import Any

from commerce.common.services.documents import Document, Pdf, make_document, typeset
from commerce.common.services.qr import qr_svg

from ..models import AttendeeTicket, TicketOrder
from ..selectors.events import sells_tickets
from . import mails


def tickets_pdf(order: TicketOrder, tickets: Sequence[AttendeeTicket]) -> Pdf:
    return typeset(tickets_document(order, tickets))


def tickets_document(order: TicketOrder, tickets: Sequence[AttendeeTicket]) -> Document:
    """Return tickets of an order as a document. The QR code of a ticket holds its code, and nothing else."""
    assert order.paid_at is not None
    sales = sells_tickets(order.event_id)
    data = {
        "title": order.title,
        "number": order.number,
        "when": mails.when(order),
        "where": mails.where(order),
        "note": sales.note if sales is not None else "",
        "tickets": [_ticket(order, each) for each in tickets],
    }
    return make_document("tickets", data, at=order.paid_at)


def _ticket(order: TicketOrder, ticket: AttendeeTicket) -> dict[str, Any]:
    return {
        "type": ticket.type_name,
        "name": ticket.attendee,
        "code": space_out(ticket.code),
        "qr": qr_svg(ticket.code),
        "order": order.number,
    }


def space_out(code: str) -> str:
    """Return a code as people read it out: in two groups."""
    return f"{code[:4]} {code[4:]}"
