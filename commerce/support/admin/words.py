"""Words, tones and choices of the help desk's pages in the admin."""

from typing import Any

from cms_api.adminkit.columns import local_date, person

from ..models import Category, Ticket
from ..selectors.clocks import Clock
from ..selectors.tickets import agents
from ..types.tickets import Priority, TicketStatus

TONES = {TicketStatus.OPEN: "warning", TicketStatus.PENDING: "info", TicketStatus.RESOLVED: "positive", TicketStatus.CLOSED: ""}
PRIORITY_TONES = {Priority.URGENT: "critical", Priority.HIGH: "warning", Priority.NORMAL: "", Priority.LOW: ""}
NOBODY = "Nobody"


def status_tone(ticket: Ticket) -> str:
    return TONES[TicketStatus(ticket.status)]


def priority_tone(ticket: Ticket) -> str:
    return PRIORITY_TONES[Priority(ticket.priority)]


def status_note(ticket: Ticket) -> str:
    if ticket.is_spam:
        return "Spam"
    return "Merged" if ticket.merged_into_id else ""


def agent_choices(*more: Any) -> list[tuple[str, str]]:
    """Return the people who may handle tickets, and further ones such as the present assignee, as choices."""
    found = {user.pk: user for user in agents()} | {user.pk: user for user in more if user}
    return [("", NOBODY), *((str(user.pk), person(user)) for user in sorted(found.values(), key=person))]


def category_choices() -> list[tuple[str, str]]:
    return [("", "None"), *((str(pk), name) for pk, name in Category.objects.values_list("pk", "name"))]


def duration(seconds: int | None) -> str:
    """Return a time in hours and minutes: `2 h 5 min`."""
    if seconds is None:
        return ""
    hours, minutes = divmod(seconds // 60, 60)
    return " ".join(filter(None, (f"{hours:,} h" if hours else "", f"{minutes} min" if minutes or not hours else "")))


def clock_words(clock: Clock) -> str:
    """Return a clock, its target, and when that is reached or was missed."""
    said = [duration(clock.seconds)]
    if clock.stopped_at is None:
        said.append("so far" if clock.is_running else "so far, waiting")
    if clock.target_seconds is None:
        return " ".join(said)
    words = " ".join(said)
    if clock.is_missed:
        return f"{words}. Target of {duration(clock.target_seconds)} missed"
    due = f", due {local_date(clock.due_at)}" if clock.stopped_at is None and clock.due_at else ""
    return f"{words}. Target: {duration(clock.target_seconds)}{due}"
