"""Emails about tickets, and their entries in the timelines of contacts."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Attachment, Visitor, is_address
from commerce.common.selectors import format_money
from commerce.common.services.documents import attach
from commerce.common.types import salutation
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity
from events.services.invitations import invitation

from ..models import AttendeeTicket, TicketOrder, WaitingEntry
from ..resources import mails
from ..resources.documents import tickets_document
from ..selectors.attendees import Attendee, Buyer, Waiting
from ..selectors.events import EventDate, date_at, event_by_id
from ..selectors.orders import OFFER_LINK, ORDER_LINK, TICKET_LINK, WAITING_LINK, order_url
from ..types.announcements import AnnouncementKind
from ..types.sales import WaitingStatus

SOURCE = "tickets"

_CHANGES = {
    AnnouncementKind.MOVED: "ticket_date_moved",
    AnnouncementKind.CANCELLED: "ticket_date_cancelled",
    AnnouncementKind.RESTORED: "ticket_date_restored",
}
_UNPAID_CHANGES = {
    AnnouncementKind.MOVED: "ticket_unpaid_moved",
    AnnouncementKind.CANCELLED: "ticket_unpaid_cancelled",
    AnnouncementKind.RESTORED: "ticket_unpaid_restored",
}
_WAITING_CHANGES = {
    AnnouncementKind.MOVED: "ticket_waiting_moved",
    AnnouncementKind.CANCELLED: "ticket_waiting_cancelled",
    AnnouncementKind.RESTORED: "ticket_waiting_restored",
}


def record_paid(order: TicketOrder) -> None:
    """Create or fill in the buyer's contact while the CRM is on, and record the order in its timeline."""
    activity = _activity(order, f"Bought {mails.count_of(order.ticket_count)} for {order.title}")
    record_customer(email=order.email, name=order.name, source=SOURCE, activity=activity)


def record_cancelled(order: TicketOrder) -> None:
    record_activity(email=order.email, activity=_activity(order, f"Ticket order {order.number} cancelled"))


def record_refunded(order: TicketOrder, amount: Money) -> None:
    record_activity(email=order.email, activity=_activity(order, f"{format_money(amount)} of {order.number} refunded"))


def _activity(order: TicketOrder, summary: str) -> NewActivity:
    return NewActivity(ActivityKind.TICKET, summary, link=order_url(order.pk))


def send_tickets(order: TicketOrder, tickets: Sequence[AttendeeTicket]) -> None:
    """Email the tickets of an order to its buyer: a PDF, and a file for their calendar."""
    own = [each for each in tickets if not each.holder_email]
    context = {
        "name": salutation(order.name),
        "number": order.number,
        "event": order.title,
        "when": mails.when(order),
        "where": mails.where(order),
        "summary": mails.summary(order),
        "order_url": ORDER_LINK.url(order),
    }
    attachments = [attach(order.number, tickets_document(order, own))]
    attachments += _calendar_file(order, order.name, order.email, len(own))
    queue(template="tickets_bought", to=[order.email], context=context, attachments=attachments)


def send_transferred(ticket: AttendeeTicket) -> None:
    """Email a ticket to the person to whom it was transferred."""
    order = ticket.order
    context = {
        "name": salutation(ticket.attendee),
        "from": order.name,
        "event": order.title,
        "when": mails.when(order),
        "where": mails.where(order),
        "ticket_url": TICKET_LINK.url(ticket),
    }
    attachments = [attach(ticket.code, tickets_document(order, [ticket]))]
    attachments += _calendar_file(order, ticket.attendee, ticket.email, 1)
    about = f"ticket:{ticket.pk}"
    queue(template="ticket_transferred", to=[ticket.email], context=context, attachments=attachments, about=about)


def notify_former_holder(ticket: AttendeeTicket, *, name: str, email: str) -> None:
    """Tell somebody that a ticket of theirs now belongs to another person."""
    context = {
        "name": salutation(name),
        "ticket": ticket.type_name,
        "event": ticket.order.title,
        "when": mails.when(ticket.order),
        "new_holder": ticket.attendee,
    }
    attachments, about = _removal(ticket.order, name, email), f"ticket:{ticket.pk}"
    queue(template="ticket_given_away", to=[email], context=context, attachments=attachments, about=about)


def send_void(order: TicketOrder, tickets: Sequence[AttendeeTicket], *, name: str, email: str) -> None:
    """Tell somebody that tickets of theirs are no longer valid."""
    context = {
        "name": salutation(name),
        "tickets": mails.count_of(len(tickets)),
        "event": order.title,
        "when": mails.when(order),
    }
    attachments = _removal(order, name, email)
    queue(template="ticket_void", to=[email], context=context, attachments=attachments, reply_to=_business())


def send_cancelled(order: TicketOrder, *, had_tickets: bool) -> None:
    _send_about("ticket_order_cancelled", order, {"number": order.number}, is_over=had_tickets)


def send_refunded(order: TicketOrder, amount: Money) -> None:
    _send_about("tickets_refunded", order, {"number": order.number, "amount": format_money(amount)}, is_over=True)


def _send_about(template: str, order: TicketOrder, more: Mapping[str, Any], *, is_over: bool) -> None:
    """Email the buyer of an order; `is_over` says that tickets of it may have been the buyer's last ones."""
    context = {"name": salutation(order.name), "event": order.title, "when": mails.when(order), **more}
    attachments = _removal(order, order.name, order.email) if is_over else []
    queue(template=template, to=[order.email], context=context, attachments=attachments)


def send_waiting(entry: WaitingEntry, date: EventDate) -> None:
    """Confirm a place on the waiting list."""
    _send_to_waiting("ticket_waiting", entry, date, {"leave_url": WAITING_LINK.url(entry)})


def send_offer(entry: WaitingEntry, date: EventDate) -> None:
    """Offer seats that are reserved for somebody on the waiting list."""
    assert entry.reservation is not None
    more = {
        "until": mails.moment(entry.reservation.until),
        "offer_url": OFFER_LINK.url(entry),
        "leave_url": WAITING_LINK.url(entry),
    }
    _send_to_waiting("ticket_offer", entry, date, more, entered_by=Visitor())


def _send_to_waiting(
    template: str, entry: WaitingEntry, date: EventDate, more: Mapping[str, Any], *, entered_by: Visitor | None = None
) -> None:
    context = {
        "name": salutation(entry.name),
        "tickets": _tickets_of(entry),
        "event": " ".join(date.event.title.split()),
        "when": date.words,
        **more,
    }
    queue(template=template, to=[entry.email], context=context, about=f"waiting:{entry.pk}", entered_by=entered_by)


def _tickets_of(entry: WaitingEntry) -> str:
    return f"{entry.quantity} \N{MULTIPLICATION SIGN} {entry.ticket_type.name}"


def send_message(attendee: Attendee, subject: str, message: str) -> None:
    """Email a message of staff to somebody with tickets."""
    order = attendee.order
    context = {
        "name": salutation(attendee.name),
        "subject": subject,
        "message": message,
        "event": order.title,
        "when": mails.when(order),
    }
    queue(template="ticket_message", to=[attendee.email], context=context, reply_to=_business())


def date_of_announcement(event_id: int, start: str) -> EventDate | None:
    """Return the date of an announcement as it is now; None if it was deleted."""
    event = event_by_id(event_id)
    return date_at(event, start) if event is not None else None


def send_change(attendee: Attendee, kind: AnnouncementKind, date: EventDate | None) -> None:
    """Email somebody with tickets about a change of the date, with a file that changes their calendar too."""
    order = attendee.order
    context = {
        "name": salutation(attendee.name),
        "event": order.title,
        "when": date.words if date is not None else mails.when(order),
        "tickets": mails.count_of(attendee.tickets),
    }
    attachments = []
    if date is not None:
        attachments = _invite(date, attendee.name, attendee.email, attendee.tickets, kind == AnnouncementKind.CANCELLED)
    about = f"ticket_order:{order.pk}"
    queue(template=_CHANGES[kind], to=[attendee.email], context=context, attachments=attachments, about=about)


def send_change_to_buyer(buyer: Buyer, kind: AnnouncementKind, date: EventDate | None) -> None:
    """Email somebody whose orders are not paid yet about a change of the date, once for each order."""
    for order in buyer.orders:
        context = {
            "name": salutation(order.name),
            "event": order.title,
            "when": date.words if date is not None else mails.when(order),
            "number": order.number,
            "tickets": mails.count_of(order.ticket_count),
            "order_url": ORDER_LINK.url(order),
        }
        about = f"ticket_order:{order.pk}"
        queue(
            template=_UNPAID_CHANGES[kind],
            to=[order.email],
            context=context,
            reply_to=_business(),
            about=about,
            entered_by=Visitor(order.user),
        )


def send_change_to_waiting(waiting: Waiting, kind: AnnouncementKind, date: EventDate | None) -> None:
    """Email somebody on the waiting list about a change of the date, once for each entry."""
    for entry in waiting.entries:
        if kind == AnnouncementKind.RESTORED and entry.status == WaitingStatus.OFFERED:
            # The cancellation ended earlier offers: the email of this one says that the date takes place.
            continue
        when = date.words if date is not None else mails.start_words(entry.start)
        title = date.event.title if date is not None else entry.ticket_type.event.title
        context = {
            "name": salutation(entry.name),
            "tickets": _tickets_of(entry),
            "event": " ".join(title.split()),
            "when": when,
        }
        template = _WAITING_CHANGES[kind]
        if kind != AnnouncementKind.CANCELLED:
            context["leave_url"] = WAITING_LINK.url(entry)
        if kind == AnnouncementKind.MOVED and entry.status == WaitingStatus.OFFERED and entry.reservation is not None:
            template = "ticket_offer_moved"
            context |= {"until": mails.moment(entry.reservation.until), "offer_url": OFFER_LINK.url(entry)}
        queue(template=template, to=[entry.email], context=context, about=f"waiting:{entry.pk}", entered_by=Visitor())


def notify_business(order: TicketOrder) -> None:
    """Tell the business of an order."""
    context = {
        "number": order.number,
        "buyer": order.name,
        "event": order.title,
        "when": mails.when(order),
        "summary": mails.summary(order),
        "admin_url": settings.BASE_URL + order_url(order.pk),
    }
    queue_to_business(template="ticket_order_notice", context=context, reply_to=order.email)


def _business() -> str:
    return settings.BUSINESS_EMAIL if is_address(settings.BUSINESS_EMAIL) else ""


def _calendar_file(order: TicketOrder, name: str, email: str, people: int) -> list[Attachment]:
    """Return the file that adds a date to somebody's calendar; none while it is cancelled."""
    date = date_of_announcement(order.event_id, order.start)
    if date is None or date.is_cancelled or not people:
        return []
    return _invite(date, name, email, people, is_cancelled=False)


def _removal(order: TicketOrder, name: str, email: str) -> list[Attachment]:
    """Return the file that removes a date from the calendar of somebody who has no valid ticket for it any more."""
    date = date_of_announcement(order.event_id, order.start)
    if date is None:
        return []
    return invitation(event=date.event, row=date.row, name=name, email=email, has_left=True)


def _invite(date: EventDate, name: str, email: str, people: int, is_cancelled: bool) -> list[Attachment]:
    """Return the calendar file of a date, also of an unpublished event: people keep their tickets."""
    return invitation(event=date.event, row=date.row, name=name, email=email, people=people, is_cancelled=is_cancelled)
