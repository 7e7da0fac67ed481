"""Clocks: business seconds in which a ticket was open, against an oracle that looks at every minute, and reports of them."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cms_api.flags.services import set_setting
from commerce.common.types.hours import DAY, Period, Schedule, working_spans
from commerce.support.models import Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.selectors.clocks import clock_of, response_times
from commerce.support.services import (
    assign_ticket,
    merge_tickets,
    reply_as_customer,
    reply_as_staff,
    set_category,
    set_priority,
    set_status,
)
from commerce.support.services.setup import save_hours, save_special_day, save_target
from commerce.support.types.clocks import BusinessTime, Change, count_waited_seconds, due_at, percentile
from tests.figures import figure

from .builders import make_agent, make_category, make_ticket, receive, refusals
from .builders import make_mail as mail_of

Clock = Callable[..., datetime]
MINUTE, HOUR = 60, 3600
#: The week before and after a clock change, in zones that change on other days, and one with half hours.
ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata")
FIRST = date(2026, 3, 6)
WEEK = [
    {"weekday": day, "opens": opens, "closes": closes}
    for day in range(5)
    for opens, closes in ((time(9), time(12)), (time(13), time(17)))
]


def is_working(schedule: Schedule, at: int) -> bool:
    """Whether a minute is one of the support hours, by the clock on the wall alone."""
    local = datetime.fromtimestamp(at, schedule.zone)
    clock = local.time().replace(tzinfo=None, fold=0)
    for day, is_yesterday in ((local.date(), False), (local.date() - DAY, True)):
        for period in schedule.periods(day):
            if is_yesterday:
                if period.is_overnight and clock < period.closes:
                    return True
            elif period.opens <= clock and (period.is_overnight or clock < period.closes):
                return True
    return False


def by_minute(schedule: Schedule, log: Sequence[Change], until: int) -> int:
    """The clock, by looking at every minute."""
    total = 0
    for at in range(log[0][0], until, MINUTE):
        status = [each for moment, each in log if moment <= at][-1]
        total += MINUTE if status == "open" and is_working(schedule, at) else 0
    return total


TIMES = st.integers(0, 47).map(lambda half: time(half // 2, 30 * (half % 2)))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    """Up to three periods a day, which may end on the next day, with days off. The hours of clock changes are left out."""

    def periods() -> list[Period]:
        edges = sorted(draw(st.sets(TIMES.filter(lambda each: each >= time(4)), max_size=6)))
        pairs = [Period(*pair) for pair in zip(edges[::2], edges[1::2], strict=False)]
        if len(edges) % 2:
            pairs.append(Period(edges[-1], time(0)))
        return pairs

    weekly = {day: periods() for day in range(7)}
    dates = {FIRST + timedelta(days=number): periods() for number in draw(st.sets(st.integers(0, 5), max_size=2))}
    closed = frozenset(FIRST + timedelta(days=number) for number in draw(st.sets(st.integers(0, 5), max_size=2)))
    return Schedule(ZoneInfo(draw(st.sampled_from(ZONES))), weekly, dates, closed)


@settings(max_examples=figure(25, 60), deadline=None)
@given(
    schedule=schedules(),
    moments=st.lists(st.integers(0, 5 * 24 * 60), min_size=2, max_size=7, unique=True),
    statuses=st.lists(st.sampled_from(("open", "pending", "resolved", "closed")), min_size=6, max_size=6),
    target=st.integers(1, 30),
)
def test_the_clock_is_that_of_the_oracle(schedule: Schedule, moments: list[int], statuses: list[str], target: int) -> None:
    begin = int(datetime.combine(FIRST, time(), tzinfo=schedule.zone).timestamp())
    ordered = [begin + MINUTE * moment for moment in sorted(moments)]
    log = list(zip(ordered[:-1], ["open", *statuses], strict=False))
    until = ordered[-1]
    hours = BusinessTime(working_spans(schedule, FIRST - DAY, FIRST + 20 * DAY))
    assert count_waited_seconds(log, until, hours) == by_minute(schedule, log, until)
    due = due_at(log, target * HOUR, hours)
    if due is not None:
        assert (count_waited_seconds(log, due, hours), count_waited_seconds(log, due - 1, hours)) == (
            target * HOUR,
            target * HOUR - 1,
        )
    elif log[-1][1] == "open":
        assert count_waited_seconds(log, begin + 14 * 24 * HOUR, hours) < target * HOUR or not any(schedule.weekly.values())


def test_edges_of_business_time() -> None:
    hours = BusinessTime([(100, 200), (300, 400)])
    assert [hours.until(at) for at in (0, 99, 100, 150, 200, 250, 300, 400, 500)] == [0, 0, 0, 50, 100, 100, 100, 200, 200]
    assert (hours.between(150, 350), hours.between(350, 150), hours.between(200, 300)) == (100, 0, 0)
    assert [hours.after(0, seconds) for seconds in (1, 100, 101, 200, 201)] == [101, 200, 301, 400, None]
    assert BusinessTime([]).after(0, 1) is None


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([5], 50, 5),
        ([1, 2], 50, 1),
        ([1, 2, 3], 50, 2),
        (list(range(1, 11)), 90, 9),
        (list(range(1, 12)), 90, 10),
        ([1, 9], 90, 9),
    ],
)
def test_percentiles(values: list[int], percent: int, expected: int) -> None:
    assert percentile(values, percent) == expected


pytest_db = pytest.mark.django_db


@pytest.fixture
def hours(clock: Clock) -> Clock:
    """Monday, 08:00; staffed from nine to twelve and from one to five, Monday to Friday."""
    set_setting(key="site.timezone", value="UTC")
    save_hours(hours=WEEK)
    save_target(priority="normal", first_response_minutes=120, resolution_minutes=600)
    save_target(priority="urgent", first_response_minutes=30, resolution_minutes=60)
    return clock


@pytest_db
@pytest.mark.both_databases
def test_it_works(hours: Clock) -> None:
    ticket = make_ticket()
    first = clock_of(ticket).first_response
    assert (first.seconds, first.is_running, first.target_seconds, first.is_missed) == (0, True, 2 * HOUR, False)
    assert first.due_at == datetime.fromisoformat("2026-03-02T11:00:00+00:00")
    hours("2026-03-02 13:30")
    assert clock_of(ticket).first_response.seconds == 3 * HOUR + 1800
    assert clock_of(ticket).first_response.is_missed
    reply_as_staff(ticket=ticket, message="Which one?")
    hours("2026-03-03 10:00")
    ticket.refresh_from_db()
    found = clock_of(ticket)
    assert (found.first_response.seconds, found.first_response.is_running) == (3 * HOUR + 1800, False)
    # It waits for the requester.
    assert (found.resolution.seconds, found.resolution.is_running, found.resolution.due_at) == (3 * HOUR + 1800, False, None)
    reply_as_customer(ticket=ticket, message="The left one.")
    ticket.refresh_from_db()
    assert clock_of(ticket).resolution.due_at == datetime.fromisoformat("2026-03-04T09:30:00+00:00")
    hours("2026-03-03 11:00")
    set_status(ticket=ticket, status="resolved")
    hours("2026-03-09 11:00")
    ticket.refresh_from_db()
    assert (clock_of(ticket).resolution.seconds, clock_of(ticket).resolution.is_running) == (4 * HOUR + 1800, False)
    # Opened again, it goes on where it stopped.
    set_status(ticket=ticket, status="open")
    hours("2026-03-09 12:30")
    ticket.refresh_from_db()
    assert clock_of(ticket).resolution.seconds == 5 * HOUR + 1800


@pytest_db
@pytest.mark.both_databases
def test_another_priority_counts_from_the_beginning(hours: Clock) -> None:
    ticket = make_ticket()
    hours("2026-03-02 10:00")
    assert not clock_of(ticket).first_response.is_missed
    ticket = set_priority(ticket=ticket, priority="urgent")
    assert clock_of(ticket).first_response.is_missed
    assert clock_of(ticket).first_response.due_at == datetime.fromisoformat("2026-03-02T09:30:00+00:00")
    assert clock_of(set_priority(ticket=ticket, priority="low")).first_response.target_seconds is None


@pytest_db
def test_notes_and_automatic_mail_leave_the_clocks_alone(hours: Clock) -> None:
    ticket = make_ticket()
    reply_as_staff(ticket=ticket, message="Note.", internal=True)
    receive(mail_of("On holiday.", to=reply_address(ticket), auto_submitted="auto-replied"))
    hours("2026-03-02 10:00")
    ticket.refresh_from_db()
    assert (clock_of(ticket).first_response.seconds, clock_of(ticket).first_response.is_running) == (HOUR, True)


@pytest_db
def test_special_days_and_holidays(hours: Clock) -> None:
    save_special_day(values={"date": date(2026, 3, 2), "periods": [("10:00", "11:00")]})
    set_setting(key="support.closed_on_holidays", value=True)
    set_setting(key="support.holiday_country", value="us")
    ticket = make_ticket()
    hours("2026-03-02 23:00")
    assert clock_of(ticket).first_response.seconds == HOUR
    hours("2026-05-22 16:00")
    late = make_ticket()
    # Memorial Day is on Monday.
    hours("2026-05-26 10:00")
    assert clock_of(late).first_response.seconds == 2 * HOUR


@pytest_db
def test_without_hours_it_runs_around_the_clock(clock: Clock) -> None:
    ticket = make_ticket()
    clock(days=2)
    assert clock_of(ticket).first_response.seconds == 48 * HOUR


@pytest_db
@pytest.mark.parametrize(
    "rows",
    [
        [{"weekday": 0, "opens": time(9), "closes": time(13)}, {"weekday": 0, "opens": time(12), "closes": time(17)}],
        [{"weekday": 0, "opens": time(20), "closes": time(2)}, {"weekday": 0, "opens": time(22), "closes": time(23)}],
        [{"weekday": 7, "opens": time(9), "closes": time(13)}],
    ],
)
def test_refused_hours(support: None, rows: list[dict[str, Any]]) -> None:
    assert list(refusals(lambda: save_hours(hours=rows))) == ["hours"]


@pytest_db
@pytest.mark.both_databases
def test_reports(hours: Clock) -> None:
    orders, ada = make_category("Orders"), make_agent("Ada Lane")
    for number in range(10):
        hours("2026-03-02 09:00")
        ticket = make_ticket()
        hours("2026-03-02 09:00")
        hours(minutes=6 * (number + 1))
        reply_as_staff(ticket=ticket, message="Answer.")
        if number < 5:
            set_category(ticket=ticket, category=orders)
            assign_ticket(ticket=ticket, user_id=ada.pk)
    hours("2026-03-10 09:00")
    late = make_ticket()
    set_status(ticket=late, status="resolved")
    make_ticket(spam_reason="Offers.")
    merged = make_ticket()
    merge_tickets(ticket=merged, into=Ticket.objects.get(pk=late.pk))
    first, last = date(2026, 3, 1), date(2026, 3, 31)
    weeks = response_times(first, last, by="week")
    assert [(each.label, each.tickets, each.first_response_median, each.first_response_90) for each in weeks] == [
        ("2026-03-02", 10, 30 * MINUTE, 54 * MINUTE),
        ("2026-03-09", 1, None, None),
    ]
    assert [(each.resolution_median, each.resolution_90) for each in weeks] == [(None, None), (0, 0)]
    found = response_times(first, last, by="category")
    assert [(each.label, each.tickets, each.first_response_median) for each in found] == [
        ("", 6, 48 * MINUTE),
        ("Orders", 5, 18 * MINUTE),
    ]
    assert [each.label for each in response_times(first, last, by="assignee")] == ["", "Ada Lane"]
    assert response_times(date(2026, 3, 11), last, by="week") == []


@pytest_db
@pytest.mark.both_databases
def test_reports_take_few_statements(hours: Clock, django_assert_max_num_queries: Any) -> None:
    for _ in range(10):
        make_ticket()
    with django_assert_max_num_queries(8):
        response_times(date(2026, 3, 1), date(2026, 3, 31), by="assignee")
