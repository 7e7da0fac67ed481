"""Periodic work: reminders to requesters, tickets that are closed by themselves, and old emails."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from cms_api.core.batches import Run, each
from cms_api.flags.selectors import get_setting

from ..models import ReceivedMail, Ticket
from ..types.tickets import TicketStatus
from . import notices
from .files import clear_stray_files
from .locking import lock_ticket
from .statuses import change_status

#: Tickets that one run of a job works on; the next run continues.
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
    due = due.order_by("waiting_since", "pk")
    each(due.values_list("pk", flat=True), lambda pk: _nudge(pk, limit), limit=ROWS_PER_RUN)


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
    with Run() as run:
        for due in (resolved.order_by("resolved_at", "pk"), nudged.order_by("nudged_at", "pk")):
            run.each(due.values_list("pk", flat=True), lambda pk: _close(pk, limit), limit=ROWS_PER_RUN)


@transaction.atomic
def _close(pk: int, limit: datetime) -> None:
    ticket = lock_ticket(pk)
    since = {TicketStatus.RESOLVED: ticket.resolved_at, TicketStatus.PENDING: ticket.nudged_at}.get(TicketStatus(ticket.status))
    if since is not None and since <= limit:
        ticket.nudged_at = None
        change_status(ticket, TicketStatus.CLOSED)


def drop_old_mail() -> None:
    """Delete what is known of emails that belong to no ticket after RETENTION, and files that no record names (periodic job)."""
    old = ReceivedMail.objects.filter(ticket=None, received_at__lt=timezone.now() - RETENTION)
    while pks := list(old.order_by("received_at").values_list("pk", flat=True)[:ROWS_PER_RUN]):
        ReceivedMail.objects.filter(pk__in=pks).delete()
    clear_stray_files()


def _days(key: str) -> int:
    return min(max(0, int(get_setting(key))), _MAX_DAYS)
