"""The page of an order, found by the signed link in emails: its tickets, their PDF, and the payment if one is due."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST, require_safe

from cms_api.content.models import ContentItem
from cms_api.content.resources.calendar_links import calendar_links
from commerce.common.selectors import format_money
from commerce.common.services.qr import qr_svg
from commerce.common.types.money import Money
from commerce.common.views import pdf_response
from commerce.payments.selectors import is_ready, received_words
from commerce.payments.views import redirect_to_payment

from ..models import AttendeeTicket, TicketOrder
from ..resources import mails, pages, sums
from ..resources.documents import space_out, tickets_pdf
from ..selectors.events import EventDate, date_at, event_by_id, find_event
from ..selectors.orders import ORDER_LINK, TICKET_LINK
from ..services.buying import MOVED, is_other_date
from ..services.paying import ORDERS
from ..types.orders import ADMITS, PAYABLE, TicketStatus


@dataclass(frozen=True)
class ShownTicket:
    """A ticket on the page of its order, or its own."""

    ticket: AttendeeTicket
    #: As people read it out; empty for a ticket that somebody else has.
    code: str
    qr: SafeString | str
    path: str
    status: str

    @property
    def is_void(self) -> bool:
        return self.ticket.status == TicketStatus.VOID

    @property
    def is_checked_in(self) -> bool:
        return self.ticket.status == TicketStatus.CHECKED_IN


def shown_ticket(ticket: AttendeeTicket, *, is_own: bool) -> ShownTicket:
    """Return a ticket for a page. Only the page of somebody who has it (`is_own`) shows its code."""
    admits = ticket.status in ADMITS
    if not is_own:
        return ShownTicket(ticket, "", "", "", "Transferred" if admits else str(ticket.get_status_display()))
    qr = mark_safe(qr_svg(ticket.code)) if admits else ""  # SVG of our own
    return ShownTicket(ticket, space_out(ticket.code), qr, TICKET_LINK.path(ticket), str(ticket.get_status_display()))


def date_of(order: TicketOrder) -> EventDate | None:
    """Return the date of an order as visitors can see it now; None if it or its event is gone."""
    event = event_by_id(order.event_id)
    return date_at(event, order.start) if event is not None else None


def facts_of(order: TicketOrder) -> dict[str, Any]:
    """Return what all pages say of the event of an order."""
    date = date_of(order)
    event: ContentItem | None = find_event(date.event.slug) if date is not None else None
    is_on = date is not None and event is not None and date.takes_place
    return {
        "order": order,
        "when": mails.when(order),
        "where": mails.where(order),
        "event_path": pages.event_path(event) if event is not None else "",
        "is_date_cancelled": date is not None and date.is_cancelled,
        "calendar": _calendar(event, date) if is_on and event is not None and date is not None else {},
    }


def _calendar(event: ContentItem, date: EventDate) -> dict[str, str]:
    """Return the links that add a date to calendars."""
    field = event.type.date_field
    assert field is not None
    event.data = {**event.data, field.key: date.row.data.get(field.key)}
    return calendar_links(event)


#: For views whose URL has the token of an order.
_of_order = ORDER_LINK.opening(lambda: TicketOrder.objects.select_related("reservation"))


@require_safe
@_of_order
def show(request: HttpRequest, order: TicketOrder) -> HttpResponse:
    found = order.tickets.order_by("pk")
    tickets = [shown_ticket(each, is_own=not each.holder_email) for each in found]
    token = ORDER_LINK.token(order)
    facts = facts_of(order)
    received = received_words(PAYABLE, order.pk)
    is_due = order.is_pending and not order.is_processing and not received and not facts["is_date_cancelled"]
    shown = {
        **facts,
        "tickets": tickets,
        "are_void": bool(tickets) and all(each.is_void for each in tickets),
        "items": [(str(item), format_money(Money(item.total_cents, order.currency))) for item in order.items.all()],
        "sums": sums.of_order(order),
        "total": format_money(order.total),
        "received": received,
        "is_due": is_due,
        "can_pay": is_due and is_ready(),
        "until": pages.until_text(order.reservation) if is_due and order.reservation is not None else "",
        "pay_path": reverse("tickets_pay", args=[token]),
        "pdf_path": reverse("tickets_pdf", args=[token]) if _select_printed(order, found) else "",
    }
    return render(request, "ticketing/order.html", shown)


@require_POST
@_of_order
def pay(request: HttpRequest, order: TicketOrder) -> HttpResponse:
    """Leads to the payment page of a pending order, whose seats are reserved again if they were not any more."""
    page = ORDER_LINK.path(order)
    if not order.is_pending:
        messages.error(request, ORDERS.not_due)
        return redirect(page)
    if is_other_date(request.POST.get("when"), when := mails.when(order)):
        messages.error(request, MOVED.format(when))
        return redirect(page)
    return redirect_to_payment(request, payable=PAYABLE, record_id=order.pk, back=page)


@require_safe
@_of_order
def pdf(request: HttpRequest, order: TicketOrder) -> HttpResponse:
    """The tickets that the buyer still has and that are not void."""
    own = _select_printed(order, order.tickets.order_by("pk"))
    if not own:
        raise Http404
    return pdf_response(tickets_pdf(order, own).content, order.number)


def _select_printed(order: TicketOrder, tickets: Any) -> list[AttendeeTicket]:
    found = [each for each in tickets if not each.holder_email and each.status in ADMITS] if order.paid_at else []
    for each in found:
        each.order = order
    return found
