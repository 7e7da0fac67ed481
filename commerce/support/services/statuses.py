"""Moves tickets from one status to another."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.flags.selectors import get_setting
from cms_api.webhooks.services import emit

from ..models import Ticket
from ..types.tickets import TicketStatus
from . import notices
from .locking import become, lock_ticket, save_ticket


@transaction.atomic
def set_status(*, ticket: Ticket, status: str, user: Any = None, only_from: Collection[str] = ()) -> Ticket:
    """Give a ticket another status, and return it; the same one again changes nothing.

    With `only_from`, a ticket that is in none of these statuses stays as it is.

    Closing it fires `ticket.closed`. The first time that it is resolved, the requester is asked to rate it, if `support.csat` is
    on. Raises Invalid (`status`) for an unknown status, and for opening a ticket that was merged into another.
    """
    if status not in TicketStatus.values:
        raise Invalid({"status": invalid_choice("status", TicketStatus.values)})
    locked = lock_ticket(ticket.pk)
    if locked.status == status or (only_from and locked.status not in only_from):
        return locked
    if locked.merged_into_id is not None:
        raise Invalid({"status": "This ticket was merged into another one, which has its messages."})
    change_status(locked, TicketStatus(status), user=user)
    return locked


def change_status(ticket: Ticket, status: TicketStatus, *, user: Any = None) -> None:
    """Give a locked ticket another status, with all that follows."""
    become(ticket, status, user=user)
    asks = status == TicketStatus.RESOLVED and not ticket.is_spam and ticket.csat_sent_at is None and get_setting("support.csat")
    if asks:
        ticket.csat_sent_at = timezone.now()
    save_ticket(ticket)
    log(instance=ticket, action="support.set_status", user=user, data={"status": status})
    if asks:
        notices.ask_for_rating(ticket)
    if status == TicketStatus.CLOSED and not ticket.is_spam:
        emit("ticket.closed", ticket)
        notices.record_closed(ticket)
