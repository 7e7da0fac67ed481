"""Asks customers for reviews: everybody, once for each order, appointment or ticket order, some days after it is fulfilled.

A ticket order is fulfilled when its event has ended, which may be moved until then.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import batches
from cms_api.flags.selectors import get_setting, is_on
from cms_api.mail.types import NOT_MAILABLE, is_address
from commerce.booking.selectors.appointments import appointments
from commerce.booking.types.appointments import PAYABLE as APPOINTMENT
from commerce.booking.types.appointments import AppointmentStatus
from commerce.common.types import email_key
from commerce.payments.selectors import refundable_cents, refunds_of
from commerce.payments.types import RefundStatus
from commerce.shop.selectors.orders import orders
from commerce.shop.types.orders import PAYABLE as ORDER
from commerce.shop.types.orders import OrderStatus
from commerce.ticketing.selectors.events import date_at, event_by_id
from commerce.ticketing.selectors.orders import orders as ticket_orders
from commerce.ticketing.types.orders import PAYABLE as TICKET_ORDER
from commerce.ticketing.types.orders import OrderStatus as TicketOrderStatus

from ..models import Invitation, OptOut
from ..selectors import is_opted_out
from ..types import InvitationState, Source, Subject, SubjectKind
from . import notices

#: Invitations that one run of the job works on; the next run continues.
INVITATIONS_PER_RUN = 500
MAX_INVITATION_DAYS = 365
#: An invitation that could not be sent for so long, because the module was off, is not sent at all.
TOO_LATE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Asked:
    """The state of an order, appointment or ticket order when its invitation is due."""

    #: Such as “order ORD-1001”.
    title: str
    #: Why its customer is not asked; empty if they are.
    problem: str = ""
    #: When it is fulfilled, if that may have changed since the invitation was planned.
    ends_at: datetime | None = None


def invite_buyer(order: Any) -> None:
    """Plan an invitation for an order that was fulfilled (listener)."""
    if order.status != OrderStatus.FULFILLED:
        return
    bought: dict[int, Subject] = {}
    for item in order.items.all():
        if item.product_id is not None and item.refunded < item.quantity:
            bought[item.product_id] = Subject(SubjectKind.PRODUCT, item.product_id, item.name)
    _plan(Source.ORDER, order.pk, order.name, order.email, bought.values())


def invite_customer(appointment: Any) -> None:
    """Plan an invitation for an appointment that was completed (listener)."""
    service = Subject(SubjectKind.SERVICE, appointment.service_id, appointment.service_name)
    _plan(Source.APPOINTMENT, appointment.pk, appointment.name, appointment.email, [service])


def invite_visitor(order: Any) -> None:
    """Plan an invitation for a ticket order that was paid, after its event (listener)."""
    date = date_at(event, order.start) if (event := event_by_id(order.event_id)) is not None else None
    if date is not None and date.ends_at is not None:
        subject = Subject(SubjectKind.EVENT, order.event_id, order.title)
        _plan(Source.TICKET_ORDER, order.pk, order.name, order.email, [subject], fulfilled_at=date.ends_at)


def _plan(
    source: Source, record_id: int, name: str, email: str, subjects: Iterable[Subject], *, fulfilled_at: datetime | None = None
) -> None:
    """Write the invitation, once for each record, which is fulfilled now or at `fulfilled_at`."""
    if not get_setting("reviews.send_invitations"):
        return
    now = timezone.now()
    invitation = Invitation(
        source=source,
        record_id=record_id,
        name=name,
        email=email_key(email),
        subjects=[{key: value for key, value in asdict(each).items() if key != "path"} for each in subjects],
        due_at=(fulfilled_at or now) + _delay(),
        created_at=now,
        updated_at=now,
    )
    Invitation.objects.bulk_create([invitation], ignore_conflicts=True)


def _delay() -> timedelta:
    return timedelta(days=min(max(0, get_setting("reviews.invitation_days")), MAX_INVITATION_DAYS))


def send_due_invitations() -> None:
    """Send the invitations whose time has come (periodic job)."""
    if not get_setting("reviews.send_invitations"):
        return
    sources = [source for source, (feature, _) in _SOURCES.items() if is_on(feature)]
    due = Invitation.objects.filter(state=InvitationState.WAITING, due_at__lte=timezone.now(), source__in=sources)
    batches.each(due.order_by("due_at", "pk").values_list("pk", flat=True), _send, limit=INVITATIONS_PER_RUN)


@transaction.atomic
def _send(pk: int) -> None:
    """Send an invitation, or skip it if its customer must not be asked any more."""
    invitation = Invitation.objects.select_for_update().filter(pk=pk, state=InvitationState.WAITING).first()
    if invitation is None:
        return
    asked = _SOURCES[invitation.source][1](invitation.record_id)
    if not asked.problem and asked.ends_at is not None and asked.ends_at + _delay() > timezone.now():
        # The event was moved.
        invitation.due_at, invitation.updated_at = asked.ends_at + _delay(), timezone.now()
        invitation.save(update_fields=["due_at", "updated_at"])
        return
    problem = asked.problem
    if not problem and is_opted_out(invitation.email):
        problem = "The customer wants no invitations."
    if not problem and invitation.due_at < timezone.now() - TOO_LATE:
        problem = "It was due too long ago."
    if not problem and not is_address(invitation.email):
        problem = NOT_MAILABLE
    if not problem:
        notices.send_invitation(invitation, asked.title)
    _finish(invitation, problem)


def _finish(invitation: Invitation, problem: str) -> None:
    now = timezone.now()
    invitation.state = InvitationState.SKIPPED if problem else InvitationState.SENT
    invitation.reason, invitation.sent_at, invitation.updated_at = problem, None if problem else now, now
    invitation.save(update_fields=["state", "reason", "sent_at", "updated_at"])


def _order(pk: int) -> Asked:
    order = orders().filter(pk=pk).first()
    if order is None:
        return Asked("", "The order is gone.")
    if order.status != OrderStatus.FULFILLED:
        return Asked("", f"The order is {order.get_status_display().lower()}.")
    return Asked(f"order {order.number}", _explain_refund(ORDER, pk, "order"))


def _appointment(pk: int) -> Asked:
    appointment = appointments().filter(pk=pk).first()
    if appointment is None:
        return Asked("", "The appointment is gone.")
    if appointment.status != AppointmentStatus.COMPLETED:
        return Asked("", f"The appointment is {appointment.get_status_display().lower()}.")
    return Asked(f"appointment “{appointment.service_name}”", _explain_refund(APPOINTMENT, pk, "appointment"))


def _ticket_order(pk: int) -> Asked:
    order = ticket_orders().filter(pk=pk).first()
    if order is None:
        return Asked("", "The ticket order is gone.")
    if order.status != TicketOrderStatus.PAID:
        return Asked("", f"The ticket order is {order.get_status_display().lower()}.")
    date = date_at(event, order.start) if (event := event_by_id(order.event_id)) is not None else None
    if date is None or date.is_cancelled:
        return Asked("", "The event did not take place.")
    return Asked(f"visit to “{order.title}”", _explain_refund(TICKET_ORDER, pk, "ticket order"), date.ends_at)


def _explain_refund(payable: str, pk: int, noun: str) -> str:
    """Return that all the money of a record has gone back, or is about to; empty otherwise."""
    is_refunded = refunds_of(payable, pk).exclude(status=RefundStatus.FAILED).exists() and not refundable_cents(payable, pk)
    return f"The {noun} was refunded." if is_refunded else ""


#: The feature of each kind of record, and how its state is read.
_SOURCES: Mapping[str, tuple[str, Any]] = {
    Source.ORDER: ("shop", _order),
    Source.APPOINTMENT: ("booking", _appointment),
    Source.TICKET_ORDER: ("events", _ticket_order),
}


@transaction.atomic
def skip_invitation(*, invitation: Invitation, user: Any = None) -> bool:
    """Do not send an invitation that waits; return False if it was sent or skipped already."""
    waiting = Invitation.objects.filter(pk=invitation.pk, state=InvitationState.WAITING)
    if not waiting.update(state=InvitationState.SKIPPED, reason="Cancelled by staff.", updated_at=timezone.now()):
        return False
    log(instance=invitation, action="reviews.skip_invitation", user=user)
    return True


@transaction.atomic
def decline_invitations(*, email: str) -> None:
    """Send this address no more invitations."""
    OptOut.objects.bulk_create([OptOut(email=email_key(email), created_at=timezone.now())], ignore_conflicts=True)
