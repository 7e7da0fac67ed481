"""The times on offer by what is stored are those of the oracle, as those by the pure rules are."""

import random
from datetime import date, time
from typing import Any

import pytest

from cms_api.flags.services import set_setting
from commerce.booking.models import BookedSlot, BusyTime, Service, Staff, TimeOff
from commerce.booking.selectors.availability import openings
from commerce.booking.services import save_override
from commerce.common.types.holidays import holidays_between
from commerce.common.types.hours import DAY, Schedule, instant
from commerce.common.types.spans import Span, moment

from . import oracle
from .builders import at, make_appointment, make_service, make_staff
from .schedules import ZONES, Case, make_case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("booking")]

#: Two dozen in all, and five hundred where the long tests run.
FEW, MANY = 2, 40
#: The window begins and ends in the middle of a day, so that nights are whole.
NOON = time(12)


def store(case: Case, seed: int) -> tuple[Service, Staff, Schedule]:
    """Store a case; return the service, the member of staff, and the hours, with the holidays of the country."""
    rule = case.rule
    service = make_service(
        duration_minutes=rule.duration // 60,
        step_minutes=rule.step // 60,
        buffer_before_minutes=rule.before // 60,
        buffer_after_minutes=rule.after // 60,
        notice_minutes=rule.notice // 60,
        days_ahead=rule.horizon // 86_400,
    )
    weekly = [
        {"weekday": weekday, "opens": period.opens, "closes": period.closes}
        for weekday, periods in case.hours.weekly.items()
        for period in periods
    ]
    staff = make_staff(service, timezone=case.hours.zone.key, hours=weekly)
    for day, periods in case.hours.dates.items():
        pairs = [(each.opens.isoformat(), each.closes.isoformat()) for each in periods]
        save_override(values={"staff": staff, "date": day, "periods": pairs})
    chance = random.Random(seed)
    for span in case.busy:
        if chance.random() < 0.5:
            BusyTime.objects.create(staff=staff, starts_at=moment(span[0]), ends_at=moment(span[1]))
        else:
            occupy(service, staff, span)
    for start, end in case.off:
        TimeOff.objects.create(staff=chance.choice((None, staff)), starts_at=moment(start), ends_at=moment(end))
    set_setting(key="booking.closed_on_holidays", value=True)
    set_setting(key="booking.holiday_country", value="US")
    closed = holidays_between("US", "", case.days[0] - DAY, case.days[-1])
    return service, staff, Schedule(case.hours.zone, case.hours.weekly, case.hours.dates, closed)


def occupy(service: Service, staff: Staff, span: Span) -> None:
    """Take a time of which the first third is kept free before the appointment."""
    begin, end = map(moment, span)
    BookedSlot.objects.create(
        staff=staff, service=service, starts_at=begin + (end - begin) / 3, ends_at=end, occupied_from=begin, occupied_until=end
    )


def busy_stranger(service: Service, day: date) -> Staff:
    """Somebody else, who is busy at other times."""
    stranger = make_staff(service)
    begin = instant(day, NOON, stranger.zone)
    occupy(service, stranger, (begin, begin + 100_000))
    save_override(values={"staff": stranger, "date": day + DAY, "periods": []})
    return stranger


def compare(seed: int, name: str) -> None:
    # Those of everybody would be those of the next case too.
    TimeOff.objects.all().delete()
    case = make_case(seed, name)
    service, staff, hours = store(case, seed)
    others = [make_staff(service), staff, busy_stranger(service, case.days[0])]
    begin, end = (instant(day, NOON, hours.zone) for day in (case.days[0], case.days[-1]))
    found = openings(service, others, moment(begin), moment(end), now=moment(case.now))
    ours = [int(each.starts_at.timestamp()) for each in found if each.staff_id == staff.pk]
    expected = oracle.starts(hours, case.days[0] - DAY, case.days[-1], case.busy, case.off, case.rule, case.now)
    assert ours == [start for start in expected if begin <= start < end], f"seed {seed}"


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.both_databases
def test_it_works(name: str) -> None:
    for seed in range(FEW):
        compare(seed, name)


@pytest.mark.long
@pytest.mark.parametrize("name", ZONES)
def test_many_schedules(name: str) -> None:
    for seed in range(FEW, FEW + MANY):
        compare(seed, name)


@pytest.mark.parametrize(("first", "last"), [(-30, -1), (40, 70)])
@pytest.mark.both_databases
def test_nothing_is_read_of_months_that_cannot_be_booked(first: int, last: int, django_assert_num_queries: Any) -> None:
    service = make_service(days_ahead=7)
    staff = make_staff(service)
    with django_assert_num_queries(0):
        assert openings(service, [staff], at(first), at(last)) == []


@pytest.mark.both_databases
def test_it_takes_six_statements(django_assert_max_num_queries: Any) -> None:
    """Hours, dates, slots, busy times, times off, and the setting of the holidays."""
    service = make_service(capacity=3)
    staff = [make_staff(service) for _ in range(5)]
    for each in staff:
        make_appointment(service, each, at(3))
    with django_assert_max_num_queries(6):
        found = openings(service, staff, at(2), at(5))
    assert {each.seats for each in found if each.starts_at == at(3)} == {2}
