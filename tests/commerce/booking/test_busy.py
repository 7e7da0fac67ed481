"""Busy times read from calendar files: a table of cases, and random rules against a search day by day."""

import random
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from cms_api.core.errors import Invalid
from commerce.booking.types import busy
from commerce.booking.types.busy import busy_spans
from commerce.common.types.spans import moment

BERLIN = ZoneInfo("Europe/Berlin")
FIRST, LAST = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)

Times = list[tuple[str, str]]


def file_of(*lines: str) -> bytes:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//EN", *lines, "END:VCALENDAR", ""]).encode()


def event(*lines: str, uid: str = "1") -> tuple[str, ...]:
    return "BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT"


def times(*lines: str, zone: ZoneInfo = BERLIN) -> Times:
    """The busy times of March 2026 in UTC, `03-02 10:00`."""
    found = busy_spans(file_of(*lines), zone=zone, first=FIRST, last=LAST)
    return [(f"{moment(start):%m-%d %H:%M}", f"{moment(end):%m-%d %H:%M}") for start, end in found]


AT_TEN = ("DTSTART:20260302T100000Z", "DTEND:20260302T110000Z")
TEN: Times = [("03-02 10:00", "03-02 11:00")]
DAILY = ("DTSTART;TZID=Europe/Berlin:20260328T090000", "DTEND;TZID=Europe/Berlin:20260328T100000", "RRULE:FREQ=DAILY;COUNT=3")
#: A zone of the file's own, always two hours ahead.
OWN_ZONE = (
    "BEGIN:VTIMEZONE",
    "TZID:Office",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0200",
    "END:STANDARD",
    "END:VTIMEZONE",
)

CASES: dict[str, tuple[tuple[str, ...], Times]] = {
    "an event in UTC": (event(*AT_TEN), TEN),
    "an event in a zone": (event("DTSTART;TZID=Europe/Berlin:20260302T110000", "DURATION:PT1H"), TEN),
    "an event in a zone of Windows": (event("DTSTART;TZID=W. Europe Standard Time:20260302T110000", "DURATION:PT1H"), TEN),
    "an event in a zone of the file": (OWN_ZONE + event("DTSTART;TZID=Office:20260302T120000", "DURATION:PT1H"), TEN),
    "a zone with a path": (event("DTSTART;TZID=/x.example/2/Asia/Tokyo:20260302T190000", "DURATION:PT1H"), TEN),
    "a day of the clock": (event("DTSTART:20260328T120000", "DURATION:P1D"), [("03-28 11:00", "03-29 10:00")]),
    "a floating time is in the zone of the staff": (event("DTSTART:20260302T110000", "DTEND:20260302T120000"), TEN),
    "a day": (event("DTSTART;VALUE=DATE:20260302"), [("03-01 23:00", "03-02 23:00")]),
    "two days": (event("DTSTART;VALUE=DATE:20260302", "DTEND;VALUE=DATE:20260304"), [("03-01 23:00", "03-03 23:00")]),
    "the short day": (event("DTSTART;VALUE=DATE:20260329"), [("03-28 23:00", "03-29 22:00")]),
    "a free day": (event("DTSTART;VALUE=DATE:20260302", "TRANSP:TRANSPARENT"), []),
    "a cancelled event": (event(*AT_TEN, "STATUS:CANCELLED"), []),
    "an event without an end takes no time": (event("DTSTART:20260302T100000Z"), []),
    "an event that ends before it begins": (event("DTSTART:20260302T100000Z", "DTEND:20260302T090000Z"), []),
    "a repeating event follows the wall clock": (
        event(*DAILY),
        [("03-28 08:00", "03-28 09:00"), ("03-29 07:00", "03-29 08:00"), ("03-30 07:00", "03-30 08:00")],
    ),
    "a date is left out": (
        event(*DAILY, "EXDATE;TZID=Europe/Berlin:20260329T090000"),
        [("03-28 08:00", "03-28 09:00"), ("03-30 07:00", "03-30 08:00")],
    ),
    "a date is moved": (
        event(*DAILY)
        + event("RECURRENCE-ID;TZID=Europe/Berlin:20260329T090000", "DTSTART:20260329T150000Z", "DTEND:20260329T160000Z"),
        [("03-28 08:00", "03-28 09:00"), ("03-29 15:00", "03-29 16:00"), ("03-30 07:00", "03-30 08:00")],
    ),
    "a date is cancelled": (
        event(*DAILY) + event("RECURRENCE-ID:20260329T070000Z", *AT_TEN, "STATUS:CANCELLED"),
        [("03-28 08:00", "03-28 09:00"), ("03-30 07:00", "03-30 08:00")],
    ),
    "a date is added": (event(*AT_TEN, "RDATE:20260305T100000Z"), [*TEN, ("03-05 10:00", "03-05 11:00")]),
    "a period is added": (event(*AT_TEN, "RDATE;VALUE=PERIOD:20260305T100000Z/PT2H"), [*TEN, ("03-05 10:00", "03-05 12:00")]),
    "it ends with a day": (
        event("DTSTART:20260302T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;UNTIL=20260303"),
        [*TEN, ("03-03 10:00", "03-03 11:00")],
    ),
    "it began long ago": (
        event("DTSTART:19900101T100000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2"),
        TEN,
    ),
    "it began before and lasts": (event("DTSTART:20260227T100000Z", "DTEND:20260302T100000Z"), [("03-01 00:00", "03-02 10:00")]),
    "free and busy": (
        (
            "BEGIN:VFREEBUSY",
            "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260302T100000Z/PT1H",
            "FREEBUSY;FBTYPE=FREE:20260305T100000Z/PT1H",
            "END:VFREEBUSY",
        ),
        TEN,
    ),
    "a broken start": (event("DTSTART:soon", uid="2") + event(*AT_TEN), TEN),
    "a broken rule": (event(*AT_TEN, "RRULE:FREQ=SOMETIMES", uid="2") + event(*AT_TEN), TEN),
    "a broken line": (event("SUMMARY without a colon", *AT_TEN), TEN),
    "a broken alarm": (event(*AT_TEN, "BEGIN:VALARM", "TRIGGER:soon", "END:VALARM"), TEN),
    "a rule without end and dates": (
        event("DTSTART:20260228T100000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
        [],
    ),
    "a rule of seconds with conditions": (event("DTSTART:20260101T100000Z", "RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30"), []),
    "nothing": ((), []),
}


@pytest.mark.parametrize("case", CASES)
def test_it_works(case: str) -> None:
    lines, wanted = CASES[case]
    assert times(*lines) == wanted


def test_a_file_that_cannot_be_read() -> None:
    with pytest.raises(Invalid, match="The calendar can't be read: "):
        times("BEGIN:VTIMEZONE", "TZID:B", "BEGIN:STANDARD", "DTSTART:x", "END:STANDARD", "END:VTIMEZONE")


def test_a_file_that_ends_early() -> None:
    with pytest.raises(Invalid, match="incomplete"):
        busy_spans(file_of(*event(*AT_TEN))[:-20], zone=BERLIN, first=FIRST, last=LAST)


def test_zones_of_the_same_name_in_two_files() -> None:
    office = event("DTSTART;TZID=Office:20260302T120000", "DURATION:PT1H")
    times(*(line.replace("+0200", "+0500") for line in OWN_ZONE), *office)
    assert times(*OWN_ZONE, *office) == TEN


@pytest.mark.parametrize("content", [b"", b"<html>Sign in</html>", b"\xff\xfe\0", b"BEGIN:VEVENT\r\nEND:VEVENT\r\n"])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(Invalid) as refusal:
        busy_spans(content, zone=BERLIN, first=FIRST, last=LAST)
    assert refusal.value.errors == {"calendar_url": ["The address isn't a calendar."]}


@pytest.mark.parametrize(
    "rule",
    ["FREQ=SECONDLY", "FREQ=MINUTELY;INTERVAL=1"],
)
def test_too_much_is_refused(rule: str) -> None:
    with pytest.raises(Invalid):
        times(*event("DTSTART:20200101T100000Z", "DURATION:PT1S", f"RRULE:{rule}"))


def test_too_many_events_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "MAX_EVENTS", 2)
    with pytest.raises(Invalid):
        times(*event(*AT_TEN), *event(*AT_TEN), *event(*AT_TEN))


def test_the_clock_of_the_fold_is_the_first() -> None:
    found = busy_spans(
        file_of(*event("DTSTART;TZID=Europe/Berlin:20261025T023000", "DURATION:PT1H")),
        zone=BERLIN,
        first=datetime(2026, 10, 1, tzinfo=UTC),
        last=datetime(2026, 11, 1, tzinfo=UTC),
    )
    assert [moment(start) for start, _ in found] == [datetime(2026, 10, 25, 0, 30, tzinfo=UTC)]


DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def by_day(start: date, end: date, weekdays: set[int], interval: int, out: set[date]) -> list[date]:
    """Weekly dates, found by looking at every day."""
    week = start - timedelta(days=start.weekday())
    found, day = [], start
    while day <= end:
        if day.weekday() in weekdays and (day - week).days // 7 % interval == 0 and day not in out:
            found.append(day)
        day += timedelta(days=1)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_weekly_events(seed: int) -> None:
    chance = random.Random(seed)
    zone = ZoneInfo(chance.choice(["Europe/Berlin", "America/New_York", "Pacific/Auckland"]))
    start = date(2026, 3, 1) - timedelta(days=chance.randrange(700))
    weekdays = {start.weekday(), *(chance.randrange(7) for _ in range(2))}
    interval, clock = chance.choice((1, 2, 3)), time(chance.randrange(4, 22))
    out = {start + timedelta(days=chance.randrange(700)) for _ in range(30)}
    lines = [
        f"DTSTART;TZID={zone.key}:{start:%Y%m%d}T{clock:%H%M%S}",
        "DURATION:PT30M",
        f"RRULE:FREQ=WEEKLY;INTERVAL={interval};WKST=MO;BYDAY={','.join(DAYS[day] for day in sorted(weekdays))}",
        *(f"EXDATE;TZID={zone.key}:{day:%Y%m%d}T{clock:%H%M%S}" for day in sorted(out)),
    ]
    found = busy_spans(file_of(*event(*lines)), zone=BERLIN, first=FIRST, last=LAST)
    wanted = [datetime.combine(day, clock, tzinfo=zone) for day in by_day(start, date(2026, 4, 2), weekdays, interval, out)]
    assert [moment(begin) for begin, _ in found] == [each for each in wanted if FIRST - HOUR / 2 < each < LAST]
