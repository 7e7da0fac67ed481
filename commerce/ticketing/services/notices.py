"""Emails about tickets, and their entries in the timelines of contacts."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings

from cms_api.content.types import Status
from cms_api.flags.selectors import is_on
from cms_api.mail.services import queue
from cms_api.mail.types import Attachment, is_address
from commerce.common.selectors import format_money
from commerce.common.types import split_name
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, upsert_contact
from commerce.crm.types import ActivityKind, NewActivity
from events.services.invitations import invitation

from ..models import AttendeeTicket, TicketOrder, WaitingEntry
from ..resources import mails
from ..resources.documents import tickets_pdf
from ..selectors.attendees import Attendee
from ..selectors.events import EventDate, date_at, event_by_id
from ..selectors.orders import OFFER_LINK, ORDER_LINK, TICKET_LINK, WAITING_LINK, order_url
from ..types.announcements import AnnouncementKind

SOURCE = "tickets"

_CHANGES = {
    AnnouncementKind.MOVED: "ticket_date_moved",
    AnnouncementKind.CANCELLED: "ticket_date_cancelled",
    AnnouncementKind.RESTORED: "ticket_date_restored",
}


def record_paid(order: TicketOrder) -> None:
    """Create or fill in the buyer's contact while the CRM is on, and record the order in its timeline."""
    if not is_on("crm"):
        return
    first, last = split_name(order.name)
    known = {"email": order.email, "first_name": first, "last_name": last}
    summary = f"Bought {mails.count_of(order.ticket_count)} for {order.title}"
    upsert_contact(values=known, source=SOURCE, activity=_activity(order, summary))


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
        "name": _salutation(order.name),
        "number": order.number,
        "event": order.title,
        "when": mails.when(order),
        "where": mails.where(order),
        "summary": mails.summary(order),
        "order_url": ORDER_LINK.url(order),
    }
    attachments = [Attachment(f"{order.number}.pdf", tickets_pdf(order, own).content, "application/pdf")]
    attachments += _calendar_file(order, order.name, order.email, len(own))
    queue(template="tickets_bought", to=[order.email], context=context, attachments=attachments)


def send_transferred(ticket: AttendeeTicket) -> None:
    """Email a ticket to the person to whom it was transferred."""
    order = ticket.order
    context = {
        "name": _salutation(ticket.attendee),
        "from": order.name,
        "event": order.title,
        "when": mails.when(order),
        "where": mails.where(order),
        "ticket_url": TICKET_LINK.url(ticket),
    }
    attachments = [Attachment(f"{ticket.code}.pdf", tickets_pdf(order, [ticket]).content, "application/pdf")]
    attachments += _calendar_file(order, ticket.attendee, ticket.email, 1)
    queue(template="ticket_transferred", to=[ticket.email], context=context, attachments=attachments)


def notify_former_holder(ticket: AttendeeTicket, *, name: str, email: str) -> None:
    """Tell somebody that a ticket of theirs now belongs to another person."""
    context = {
        "name": _salutation(name),
        "ticket": ticket.type_name,
        "event": ticket.order.title,
        "when": mails.when(ticket.order),
        "new_holder": ticket.attendee,
    }
    queue(template="ticket_given_away", to=[email], context=context)


def send_cancelled(order: TicketOrder) -> None:
    _send_about("ticket_order_cancelled", order, {"number": order.number})


def send_refunded(order: TicketOrder, amount: Money) -> None:
    _send_about("tickets_refunded", order, {"number": order.number, "amount": format_money(amount)})


def _send_about(template: str, order: TicketOrder, more: Mapping[str, Any]) -> None:
    context = {"name": _salutation(order.name), "event": order.title, "when": mails.when(order), **more}
    queue(template=template, to=[order.email], context=context)


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
    _send_to_waiting("ticket_offer", entry, date, more)


def _send_to_waiting(template: str, entry: WaitingEntry, date: EventDate, more: Mapping[str, Any]) -> None:
    context = {
        "name": _salutation(entry.name),
        "tickets": f"{entry.quantity} \N{MULTIPLICATION SIGN} {entry.ticket_type.name}",
        "event": " ".join(date.event.title.split()),
        "when": date.words,
        **more,
    }
    queue(template=template, to=[entry.email], context=context)


def send_message(attendee: Attendee, subject: str, message: str) -> None:
    """Email a message of staff to somebody with tickets."""
    order = attendee.order
    context = {
        "name": _salutation(attendee.name),
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
        "name": _salutation(attendee.name),
        "event": order.title,
        "when": date.words if date is not None else mails.when(order),
        "tickets": mails.count_of(attendee.tickets),
    }
    attachments = []
    if date is not None:
        attachments = _invite(date, attendee.name, attendee.email, attendee.tickets, kind == AnnouncementKind.CANCELLED)
    queue(template=_CHANGES[kind], to=[attendee.email], context=context, attachments=attachments)


def notify_business(order: TicketOrder) -> None:
    """Tell the business of an order."""
    to = _business()
    if not to:
        return
    context = {
        "number": order.number,
        "buyer": order.name,
        "event": order.title,
        "when": mails.when(order),
        "summary": mails.summary(order),
        "admin_url": settings.BASE_URL + order_url(order.pk),
    }
    queue(template="ticket_order_notice", to=[to], context=context, reply_to=order.email)


def _business() -> str:
    return settings.BUSINESS_EMAIL if is_address(settings.BUSINESS_EMAIL) else ""


def _calendar_file(order: TicketOrder, name: str, email: str, people: int) -> list[Attachment]:
    date = date_of_announcement(order.event_id, order.start)
    return _invite(date, name, email, people, is_cancelled=False) if date is not None and people else []


def _invite(date: EventDate, name: str, email: str, people: int, is_cancelled: bool) -> list[Attachment]:
    """Return the calendar file of a date; none while its event is a draft."""
    if date.event.status != Status.PUBLISHED and not is_cancelled:
        return []
    content = invitation(event=date.event, row=date.row, name=name, email=email, people=people, is_cancelled=is_cancelled)
    method = "CANCEL" if is_cancelled else "REQUEST"
    return [Attachment("invite.ics", content, f"text/calendar; method={method}; charset=utf-8")]


def _salutation(name: str) -> str:
    return split_name(name)[0] or name
