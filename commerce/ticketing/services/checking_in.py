"""Checks tickets in at the door. Of any number of attempts at once, one is the first."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from cms_api.core.writing import insert

from ..models import AttendeeTicket, Scan
from ..selectors.orders import find_by_code, is_revoked, tickets
from ..types.orders import ScanResult, TicketStatus

VOID = "This ticket is void."
#: A device that repeats a scan within this time, because the answer got lost, is told that it was the first.
SAME_SCAN_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True)
class CheckIn:
    """The answer to a code that was shown at a door."""

    result: ScanResult
    ticket: AttendeeTicket | None = None
    #: Whether this member of staff checked the ticket in a moment ago.
    is_just_now: bool = False


def claim(ticket: AttendeeTicket, user: Any = None) -> bool:
    """Check a valid ticket in; return whether this call was the first (one statement)."""
    now = timezone.now()
    valid = AttendeeTicket.objects.filter(pk=ticket.pk, code=ticket.code, status=TicketStatus.VALID)
    claimed = valid.update(status=TicketStatus.CHECKED_IN, checked_in_at=now, checked_in_by=user, updated_at=now)
    return bool(claimed)


@transaction.atomic
def check_in(*, ticket: AttendeeTicket, user: Any = None) -> tuple[AttendeeTicket, bool]:
    """Check a ticket in; return it as it is now, and whether it had been checked in before. Raises Invalid (`status`) if void."""
    is_first = claim(ticket, user)
    current = get_row(tickets(), ticket.pk)
    if current.status == TicketStatus.VOID:
        raise Invalid({"status": VOID})
    result = ScanResult.ADMITTED if is_first else ScanResult.ALREADY
    scanned = {"event_id": current.event_id, "ticket": current, "code": current.code}
    insert([Scan(**scanned, result=result, user=user, scanned_at=timezone.now())])
    return current, not is_first


@transaction.atomic
def scan_code(*, event_id: int, start: str, code: str, nonce: str | None = None, user: Any = None) -> CheckIn:
    """Check in the ticket with a code at the door of one date, and log the scan, whatever the answer.

    A `nonce` of the device makes a scan that is sent again the same scan, with the same answer.
    """
    nonce = nonce[:64] if nonce else None
    if nonce and (before := Scan.objects.filter(nonce=nonce).first()) is not None:
        return _answer(before)
    found = find_by_code(code)
    if found is None:
        result = ScanResult.REVOKED if is_revoked(code) else ScanResult.UNKNOWN
    elif (found.event_id, found.start) != (event_id, start):
        result = ScanResult.ELSEWHERE
    elif claim(found, user):
        result = ScanResult.ADMITTED
    else:
        found.refresh_from_db()
        result = ScanResult.VOID if found.status == TicketStatus.VOID else ScanResult.ALREADY
    typed = "".join(each for each in code if each.isprintable())[:64]
    now = timezone.now()
    scan = Scan(event_id=event_id, ticket=found, code=typed, result=result, nonce=nonce, user=user, scanned_at=now)
    try:
        with transaction.atomic():
            insert([scan])
    except IntegrityError:
        # The same scan, sent twice at once.
        return _answer(Scan.objects.get(nonce=nonce))
    return _answer(scan)


def _answer(scan: Scan) -> CheckIn:
    ticket = tickets().filter(pk=scan.ticket_id).first() if scan.ticket_id else None
    result = ScanResult(scan.result)
    just_now = (
        result == ScanResult.ALREADY
        and ticket is not None
        and ticket.checked_in_at is not None
        and ticket.checked_in_by_id == scan.user_id
        and scan.user_id is not None
        and scan.scanned_at - ticket.checked_in_at < SAME_SCAN_WITHIN
    )
    return CheckIn(result, ticket, just_now)


@transaction.atomic
def undo_check_in(*, ticket: AttendeeTicket, user: Any = None) -> bool:
    """Make a ticket that was checked in by mistake valid again; return False if it is not checked in."""
    now = timezone.now()
    arrived = AttendeeTicket.objects.filter(pk=ticket.pk, status=TicketStatus.CHECKED_IN)
    if not arrived.update(status=TicketStatus.VALID, checked_in_at=None, checked_in_by=None, updated_at=now):
        return False
    log(instance=ticket.order, action="ticketing.undo_check_in", user=user, data={"code": ticket.code})
    return True
