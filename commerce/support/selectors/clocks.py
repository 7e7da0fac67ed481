"""Response times: the clocks of tickets, and reports of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, Literal

from django.db.models import QuerySet
from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_country, site_timezone
from commerce.common.types.holidays import holidays_between
from commerce.common.types.hours import DAY, Period, Schedule, working_spans
from commerce.common.types.spans import moment
from commerce.crm.selectors import refer_to_user

from ..models import Hours, SpecialDay, StatusChange, Target, Ticket
from ..types.clocks import BusinessTime, Change, count_waited_seconds, due_at, percentile
from ..types.tickets import TicketStatus

#: Tickets of one report; the oldest are left out.
MAX_TICKETS = 20_000
#: How far ahead a target is looked for.
_LOOK_AHEAD = timedelta(days=120)
_ALWAYS = [Period(time(0), time(0))]
By = Literal["week", "category", "assignee"]


@dataclass(frozen=True)
class Clock:
    """A clock in seconds of support hours, and its target."""

    seconds: int
    #: Whether it runs now; it does not while the ticket waits for the requester, nor once it has stopped for good.
    is_running: bool
    #: When it stopped for good.
    stopped_at: datetime | None
    target_seconds: int | None
    #: When the target is reached, or was; None without a target, and while the clock does not run before it.
    due_at: datetime | None

    @property
    def is_missed(self) -> bool:
        return self.target_seconds is not None and self.seconds > self.target_seconds


@dataclass(frozen=True)
class TicketClock:
    first_response: Clock
    resolution: Clock


@dataclass(frozen=True)
class Times:
    """Times of a group of tickets, in seconds of support hours; None where there are none."""

    label: str
    tickets: int
    first_response_median: int | None
    first_response_90: int | None
    resolution_median: int | None
    resolution_90: int | None


def schedule(first: date, last: date) -> Schedule:
    """Return the support hours on the site's clock, with special days and holidays between two dates (two statements)."""
    weekly: dict[int, list[Period]] = defaultdict(list)
    for row in Hours.objects.all():
        weekly[row.weekday].append(row.period)
    special = {row.date: row.hours for row in SpecialDay.objects.filter(date__gte=first, date__lte=last)}
    closed: frozenset[date] = frozenset()
    if get_setting("support.closed_on_holidays"):
        country = get_setting("support.holiday_country").strip().upper() or site_country()
        closed = holidays_between(country, get_setting("support.holiday_region").strip(), first, last)
    return Schedule(site_timezone(), weekly or dict.fromkeys(range(7), _ALWAYS), special, closed)


def business_time(begin: datetime, end: datetime) -> BusinessTime:
    """Return the support hours from one moment to another."""
    zone = site_timezone()
    first, last = begin.astimezone(zone).date() - DAY, end.astimezone(zone).date() + DAY
    return BusinessTime(working_spans(schedule(first, last), first, last))


def clock_of(ticket: Ticket) -> TicketClock:
    """Return the clocks of a ticket: the times in which it waited for staff, to the first response and to its resolution."""
    now = timezone.now()
    log = _logs([ticket.pk])[ticket.pk]
    hours = business_time(ticket.created_at, now + _LOOK_AHEAD)
    target = Target.objects.filter(priority=ticket.priority).first()
    minutes = (target.first_response_minutes, target.resolution_minutes) if target else (None, None)
    return TicketClock(
        _clock(log, ticket.first_response_at, minutes[0], hours, now, ticket.status),
        _clock(log, ticket.resolved_at, minutes[1], hours, now, ticket.status),
    )


def _clock(
    log: Sequence[Change], stopped_at: datetime | None, minutes: int | None, hours: BusinessTime, now: datetime, status: str
) -> Clock:
    until = int((stopped_at or now).timestamp())
    seconds = None if minutes is None else 60 * minutes
    due = None if seconds is None else due_at(_until(log, until) if stopped_at else log, seconds, hours)
    is_running = stopped_at is None and status == TicketStatus.OPEN
    return Clock(count_waited_seconds(log, until, hours), is_running, stopped_at, seconds, None if due is None else moment(due))


def _until(log: Sequence[Change], until: int) -> list[Change]:
    return [change for change in log if change[0] <= until] or list(log[:1])


def _logs(tickets: Sequence[int] | QuerySet[Any]) -> Mapping[int, list[Change]]:
    """Return the logs of some tickets, or of many by a subquery."""
    found: dict[int, list[Change]] = defaultdict(list)
    rows = StatusChange.objects.filter(ticket__in=tickets).order_by("at", "id").values_list("ticket", "at", "status")
    for ticket, at, status in rows:
        found[ticket].append((int(at.timestamp()), status))
    return found


def response_times(first: date, last: date, *, by: By) -> list[Times]:
    """Return the times of tickets that were opened from one day to another, both included, on the site's clock.

    The groups are the weeks by their Mondays, the categories, or the assignees. Spam is left out, and so are merged tickets. Six
    statements, however many tickets there are.
    """
    zone = site_timezone()
    begin, end = (datetime.combine(day, time(), tzinfo=zone) for day in (first, last + DAY))
    found = Ticket.objects.filter(created_at__gte=begin, created_at__lt=end, is_spam=False, merged_into=None)
    rows = list(found.select_related("category", "assignee").order_by("-created_at", "-id")[:MAX_TICKETS])
    logs = _logs(found.order_by("-created_at", "-id").values("pk")[:MAX_TICKETS])
    hours = business_time(begin, timezone.now())
    groups: dict[str, list[Ticket]] = defaultdict(list)
    for ticket in rows:
        groups[_label(ticket, by)].append(ticket)
    return [_times(label, groups[label], logs, hours) for label in sorted(groups)]


def _label(ticket: Ticket, by: By) -> str:
    if by == "category":
        return ticket.category.name if ticket.category else ""
    if by == "assignee":
        agent = refer_to_user(ticket.assignee)
        return agent["name"] if agent else ""
    day = ticket.created_at.astimezone(site_timezone()).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def _times(label: str, tickets: Sequence[Ticket], logs: Mapping[int, list[Change]], hours: BusinessTime) -> Times:
    answered = sorted(
        count_waited_seconds(logs[each.pk], int(each.first_response_at.timestamp()), hours)
        for each in tickets
        if each.first_response_at
    )
    resolved = sorted(
        count_waited_seconds(logs[each.pk], int(each.resolved_at.timestamp()), hours) for each in tickets if each.resolved_at
    )
    numbers = [percentile(values, percent) if values else None for values in (answered, resolved) for percent in (50, 90)]
    return Times(label, len(tickets), *numbers)
