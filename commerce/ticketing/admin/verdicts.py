"""The answers to codes that are shown at a door, in words and colours."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from cms_api.adminkit.columns import person
from cms_api.flags.selectors import site_formats, site_timezone

from ..models import AttendeeTicket
from ..resources.documents import space_out
from ..resources.mails import start_words
from ..services.checking_in import CheckIn
from ..types.orders import ScanResult

#: Classes of the style sheet.
GOOD, CAREFUL, STOP = "good", "careful", "stop"


@dataclass(frozen=True)
class Verdict:
    tone: str
    title: str
    #: The holder and the ticket type.
    text: str = ""
    code: str = ""
    #: Where a check-in of a moment ago is undone.
    undo_url: str = ""


def verdict_of(found: CheckIn, typed: str) -> Verdict:
    """Return the answer to a scan; `typed` is what was entered."""
    ticket, shown = found.ticket, typed[:40]
    if ticket is None:
        title = "Replaced by another ticket" if found.result == ScanResult.REVOKED else "Unknown code"
        return Verdict(STOP, title, code=shown)
    text, code = f"{ticket.attendee}, {ticket.type_name}", space_out(ticket.code)
    if found.result == ScanResult.ADMITTED or found.is_just_now:
        undo_url = reverse("attendees:undo", args=[ticket.pk])
        title = "Checked in" if found.result == ScanResult.ADMITTED else "Checked in just now"
        return Verdict(GOOD, title, text, code, undo_url)
    if found.result == ScanResult.ALREADY:
        return Verdict(CAREFUL, f"Already checked in{_when_and_who(ticket)}", text, code)
    if found.result == ScanResult.ELSEWHERE:
        return Verdict(STOP, "For another event or date", f"{text}: {ticket.order.title}, {start_words(ticket.start)}", code)
    return Verdict(STOP, "Void", text, code)


def _when_and_who(ticket: AttendeeTicket) -> str:
    by = f" by {person(ticket.checked_in_by)}" if ticket.checked_in_by else ""
    return f"{_when(ticket.checked_in_at)}{by}" if ticket.checked_in_at else ""


def _when(at: datetime) -> str:
    """Return the time on the site's clock, with the day unless it is today."""
    local, formats = at.astimezone(site_timezone()), site_formats()
    is_today = local.date() == datetime.now(site_timezone()).date()
    return f" at {formats.time(local)}" if is_today else f" on {formats.datetime(local)}"
