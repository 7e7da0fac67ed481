"""Periodic work: reminders to requesters, tickets that are closed by themselves, and old emails."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from cms_api.flags.selectors import get_setting

from ..models import PrivateFiles, ReceivedMail, Ticket
from ..types.tickets import TicketStatus
from . import notices
from .files import clear_stray_files
from .locking import lock_ticket
from .statuses import change_status

#: Tickets that one run of a job looks at; the next run continues.
ROWS_PER_RUN = 500
#: No setting means more days.
_MAX_DAYS = 3650
#: How long emails without a ticket are kept.
RETENTION = timedelta(days=90)


def nudge_requesters() -> None:
    """Remind requesters of pending tickets that they have not answered (periodic job); once for each answer of staff."""
    days = _days("support.nudge_days")
    if not days:
        return
    limit = timezone.now() - timedelta(days=days)
    due = Ticket.objects.filter(status=TicketStatus.PENDING, is_spam=False, nudged_at=None, waiting_since__lte=limit)
    _each(due.order_by("waiting_since", "pk"), lambda pk: _nudge(pk, limit))


@transaction.atomic
def _nudge(pk: int, limit: datetime) -> None:
    ticket = lock_ticket(pk)
    waits = ticket.status == TicketStatus.PENDING and ticket.waiting_since is not None and ticket.waiting_since <= limit
    # It may have been answered, or nudged by another run.
    if waits and ticket.nudged_at is None and not ticket.is_spam:
        Ticket.objects.filter(pk=pk).update(nudged_at=timezone.now())
        notices.send_nudge(ticket)


def close_tickets() -> None:
    """Close tickets that were resolved some days ago, or whose requester has not answered the reminder (periodic job)."""
    days = _days("support.close_days")
    if not days:
        return
    limit = timezone.now() - timedelta(days=days)
    resolved = Ticket.objects.filter(status=TicketStatus.RESOLVED, resolved_at__lte=limit)
    nudged = Ticket.objects.filter(status=TicketStatus.PENDING, is_spam=False, nudged_at__lte=limit)
    for due, by in ((resolved, "resolved_at"), (nudged, "nudged_at")):
        _each(due.order_by(by, "pk"), lambda pk: _close(pk, limit))


@transaction.atomic
def _close(pk: int, limit: datetime) -> None:
    ticket = lock_ticket(pk)
    since = {TicketStatus.RESOLVED: ticket.resolved_at, TicketStatus.PENDING: ticket.nudged_at}.get(TicketStatus(ticket.status))
    if since is not None and since <= limit:
        ticket.nudged_at = None
        change_status(ticket, TicketStatus.CLOSED)


def drop_old_mail() -> None:
    """Delete emails that belong to no ticket after RETENTION, and files that no record names (periodic job)."""
    storage = PrivateFiles()
    old = ReceivedMail.objects.filter(ticket=None, received_at__lt=timezone.now() - RETENTION)
    while rows := list(old.order_by("received_at").values_list("pk", "original")[:ROWS_PER_RUN]):
        ReceivedMail.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
        for _, name in rows:
            storage.delete(name)
    clear_stray_files()


def _each(due: QuerySet[Ticket], work: Callable[[int], None]) -> None:
    for pk in list(due.values_list("pk", flat=True)[:ROWS_PER_RUN]):
        work(pk)


def _days(key: str) -> int:
    return min(max(0, int(get_setting(key))), _MAX_DAYS)
