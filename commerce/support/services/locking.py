"""Locks tickets: every change of a ticket begins with its lock, so that two at once follow one another."""

from typing import Any

from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid

from ..models import StatusChange, Ticket
from ..types.tickets import TicketStatus

GONE = "This ticket has been deleted."
CLOSED = "This ticket is closed. Reopen it first."


def lock_ticket(pk: int) -> Ticket:
    """Lock and return a ticket. Raises Invalid (`status`) if it is gone."""
    found = Ticket.objects.select_for_update(of=("self",)).select_related("category", "assignee").filter(pk=pk).first()
    if found is None:
        raise Invalid({"status": GONE})
    return found


def become(ticket: Ticket, status: TicketStatus, *, user: Any = None) -> None:
    """Give a locked ticket another status, and write its log; the caller saves the ticket."""
    now = timezone.now()
    ticket.status, ticket.updated_at = status, now
    if status == TicketStatus.CLOSED:
        ticket.closed_at = now
        ticket.resolved_at = ticket.resolved_at or now
    else:
        ticket.closed_at = None
        ticket.resolved_at = now if status == TicketStatus.RESOLVED else None
    if status != TicketStatus.PENDING:
        ticket.waiting_since = ticket.nudged_at = None
    StatusChange.objects.create(ticket=ticket, status=status, at=now, user=user)


def save_ticket(ticket: Ticket, *, reindex: bool = False) -> None:
    """Store a locked ticket."""
    ticket.updated_at = timezone.now()
    ticket.save()
    if reindex:
        get_search_backend().add(ticket)
