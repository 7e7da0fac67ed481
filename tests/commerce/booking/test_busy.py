"""Busy times read from calendar files: a table of cases, and random rules against a search day by day."""

import random
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from cms_api.core.errors import Invalid
from commerce.booking.types import busy
from commerce.booking.types.busy import busy_spans
from commerce.common.types.spans import Span, moment

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
    return shown(busy_spans(file_of(*lines), zone=zone, first=FIRST, last=LAST).spans)


def shown(found: list[Span]) -> Times:
    return [(f"{moment(start):%m-%d %H:%M}", f"{moment(end):%m-%d %H:%M}") for start, end in found]


AT_TEN = ("DTSTART:20260302T100000Z", "DTEND:20260302T110000Z")
TEN: Times = [("03-02 10:00", "03-02 11:00")]
DAILY = ("DTSTART;TZID=Europe/Berlin:20260328T090000", "DTEND;TZID=Europe/Berlin:20260328T100000", "RRULE:FREQ=DAILY;COUNT=3")
FROM_28 = "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260328T090000"
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
    "an event that ends before it begins": (event("DTSTART:20260302T100000Z", "DTEND:20260302T090000Z"), TEN),
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
    "all dates from one on are moved": (
        event("DTSTART;TZID=Europe/Berlin:20260327T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4")
        + event(FROM_28, "DTSTART;TZID=Europe/Berlin:20260328T140000", "DURATION:PT2H"),
        [
            ("03-27 08:00", "03-27 09:00"),
            ("03-28 13:00", "03-28 15:00"),
            ("03-29 12:00", "03-29 14:00"),
            ("03-30 12:00", "03-30 14:00"),
        ],
    ),
    "they are moved twice, and one of them by itself": (
        event("DTSTART;TZID=Europe/Berlin:20260327T090000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=4")
        + event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260329T070000Z", "DTSTART:20260330T070000Z", "DURATION:PT1H")
        + event("RECURRENCE-ID:20260330T070000Z", "DTSTART:20260305T100000Z", "DURATION:PT1H")
        + event(FROM_28, "DTSTART;TZID=Europe/Berlin:20260328T140000", "DURATION:PT2H"),
        [
            ("03-05 10:00", "03-05 11:00"),
            ("03-27 08:00", "03-27 09:00"),
            ("03-28 13:00", "03-28 15:00"),
            ("03-30 07:00", "03-30 08:00"),
        ],
    ),
    "days from one on are moved": (
        event("DTSTART;VALUE=DATE:20260302", "RRULE:FREQ=WEEKLY;COUNT=3")
        + event("RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260309", "DTSTART;VALUE=DATE:20260310"),
        [("03-01 23:00", "03-02 23:00"), ("03-09 23:00", "03-10 23:00"), ("03-16 23:00", "03-17 23:00")],
    ),
    "dates are moved into the month from after it": (
        event("DTSTART:20260416T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3")
        + event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260416T100000Z", "DTSTART:20260316T100000Z", "DURATION:PT1H"),
        [(f"03-{day} 10:00", f"03-{day} 11:00") for day in (16, 17, 18)],
    ),
    "dates are moved into the month from before it": (
        event("DTSTART:20260116T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=3")
        + event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260116T100000Z", "DTSTART:20260316T100000Z", "DURATION:PT1H"),
        [(f"03-{day} 10:00", f"03-{day} 11:00") for day in (16, 17, 18)],
    ),
    "all dates from one on are cancelled": (
        event(*DAILY)
        + event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260329T070000Z", "DTSTART:20260329T070000Z", "STATUS:CANCELLED"),
        [("03-28 08:00", "03-28 09:00")],
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


def test_too_many_busy_times_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short file of rules can have any number of them. Those that touch are one."""
    monkeypatch.setattr(busy, "MAX_TIMES", 2)
    daily = ("DTSTART:20260302T100000Z", "RRULE:FREQ=DAILY;COUNT=3")
    assert len(times(*event(*daily, "DURATION:P1D"))) == 1
    with pytest.raises(Invalid, match="more than 2 busy times"):
        times(*event(*daily, "DURATION:PT1H"))


def test_the_clock_of_the_fold_is_the_first() -> None:
    found = busy_spans(
        file_of(*event("DTSTART;TZID=Europe/Berlin:20261025T023000", "DURATION:PT1H")),
        zone=BERLIN,
        first=datetime(2026, 10, 1, tzinfo=UTC),
        last=datetime(2026, 11, 1, tzinfo=UTC),
    ).spans
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
    found = busy_spans(file_of(*event(*lines)), zone=BERLIN, first=FIRST, last=LAST).spans
    wanted = [datetime.combine(day, clock, tzinfo=zone) for day in by_day(start, date(2026, 4, 2), weekdays, interval, out)]
    assert [moment(begin) for begin, _ in found] == [each for each in wanted if FIRST - HOUR / 2 < each < LAST]


#: Parts that cannot be read, and what is busy besides the hour at ten: events of which only the start can be read.
UNREADABLE: dict[str, tuple[tuple[str, ...], int, Times]] = {
    "a task": (("BEGIN:VTODO", "DUE:tomorrow", "END:VTODO"), 1, []),
    "a time zone": (("BEGIN:VTIMEZONE", "TZID:B", "BEGIN:STANDARD", "DTSTART:x", "END:STANDARD", "END:VTIMEZONE"), 1, []),
    "a time zone with its name twice": (OWN_ZONE[:2] + OWN_ZONE[1:], 0, []),
    "a time zone twice": (OWN_ZONE + OWN_ZONE, 0, []),
    "a time zone of seconds": ((*OWN_ZONE[:4], "RRULE:FREQ=SECONDLY", *OWN_ZONE[4:]), 1, []),
    "no start": (event("SUMMARY:x"), 1, []),
    "a broken start": (event("DTSTART:soon"), 1, []),
    "a start twice": (
        event("DTSTART:20260305T100000Z", "DTSTART:20260306T100000Z", "DTEND:20260305T110000Z"),
        1,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "the zone of a start twice": (
        event("DTSTART;TZID=Europe/Berlin;TZID=Europe/Berlin:20260305T110000", "DURATION:PT1H"),
        0,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "an unknown zone": (event("DTSTART;TZID=Nowhere:20260305T110000", "DURATION:PT1H"), 0, [("03-05 10:00", "03-05 11:00")]),
    "a broken end": (event("DTSTART:20260305T100000Z", "DTEND:late"), 1, [("03-05 10:00", "03-05 11:00")]),
    "a day with a broken end": (event("DTSTART;VALUE=DATE:20260305", "DTEND:late"), 1, [("03-04 23:00", "03-05 23:00")]),
    "an end of another kind": (
        event("DTSTART;VALUE=DATE:20260305", "DTEND:20260305T100000Z"),
        1,
        [("03-04 23:00", "03-05 23:00")],
    ),
    "a broken rule": (
        event("DTSTART:20260305T100000Z", "DURATION:PT2H", "RRULE:FREQ=SOMETIMES"),
        1,
        [("03-05 10:00", "03-05 12:00")],
    ),
    "a rule that never goes on": (
        event("DTSTART:20260305T100000Z", "DURATION:PT2H", "RRULE:FREQ=DAILY;INTERVAL=0"),
        1,
        [("03-05 10:00", "03-05 12:00")],
    ),
    "a broken list of dates": (
        event("DTSTART:20260305T100000Z", "DURATION:PT2H", "RDATE:then"),
        1,
        [("03-05 10:00", "03-05 12:00")],
    ),
    "a cancelled event": (event("DTSTART:20260305T100000Z", "DTEND:late", "STATUS:CANCELLED"), 1, []),
    "a free event": (event("DTSTART:20260305T100000Z", "DTEND:late", "TRANSP:TRANSPARENT"), 1, []),
    "free and busy": (
        (
            "BEGIN:VFREEBUSY",
            "FREEBUSY:always,20260305T100000Z/PT1H",
            "FREEBUSY;FBTYPE=FREE:20260306T100000Z/PT1H",
            "END:VFREEBUSY",
        ),
        1,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "an end before the start": (
        event("DTSTART:20260305T100000Z", "DTEND:20260305T090000Z"),
        1,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "a day that ends before it starts": (
        event("DTSTART;VALUE=DATE:20260305", "DTEND;VALUE=DATE:20260303"),
        1,
        [("03-04 23:00", "03-05 23:00")],
    ),
    "a day that ends on itself": (
        event("DTSTART;VALUE=DATE:20260305", "DTEND;VALUE=DATE:20260305"),
        0,
        [("03-04 23:00", "03-05 23:00")],
    ),
    "a length below nothing": (event("DTSTART:20260305T100000Z", "DURATION:-PT1H"), 1, [("03-05 10:00", "03-05 11:00")]),
    "the last day of all": (event("DTSTART;VALUE=DATE:99991231"), 0, []),
    "the last hour of all": (event("DTSTART:99991231T233000Z", "DTEND:99991231T235900Z", "RRULE:FREQ=DAILY"), 0, []),
    "the first day of all": (event("DTSTART;VALUE=DATE:00010101", "RRULE:FREQ=YEARLY;COUNT=2"), 0, []),
    "a rule that ended before it began": (
        event("DTSTART:20260305T100000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;UNTIL=20260301T000000Z") * 7,
        0,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "dates that are moved to after all time": (
        event("DTSTART:20260305T100000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2")
        + event("RECURRENCE-ID;RANGE=THISANDFUTURE:20260305T100000Z", "DTSTART:99991231T100000Z", "DURATION:PT1H"),
        1,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "an alarm without an end": (
        event("DTSTART:20260305T100000Z", "DURATION:PT1H", "BEGIN:VALARM"),
        0,
        [("03-05 10:00", "03-05 11:00")],
    ),
    "properties of programs": (event(*AT_TEN, "X-FOO;=:x", "X-WR", 'ATTENDEE;CN="x:y', "GEO:x", "CATEGORIES"), 0, []),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_cannot_be_read_is_skipped_and_counted(case: str) -> None:
    lines, unread, more = UNREADABLE[case]
    found = busy_spans(file_of(*lines, *event(*AT_TEN, uid="2")), zone=BERLIN, first=FIRST, last=LAST)
    assert (shown(found.spans), found.unread) == (sorted([*TEN, *more]), unread)


@pytest.mark.parametrize(
    "end", ["UNTIL=20250301T000000Z", "COUNT=52", "COUNT=52;INTERVAL=2;BYDAY=MO,FR", "COUNT=36;FREQ=MONTHLY"]
)
def test_series_of_the_past_cost_little(end: str) -> None:
    """A calendar of many years has more of them than could be followed to the present."""
    rule = end if "FREQ" in end else f"FREQ=WEEKLY;{end}"
    ended = event("DTSTART:20150105T100000Z", "DURATION:PT1H", f"RRULE:{rule}") * 1000
    found = busy_spans(file_of(*ended, *event(*AT_TEN, uid="2")), zone=BERLIN, first=FIRST, last=LAST)
    assert (shown(found.spans), found.unread) == (TEN, 0)


def test_every_hour_of_the_time_that_is_read_is_busy() -> None:
    found = busy_spans(
        file_of(*event("DTSTART:20260301T000000Z", "DURATION:PT5M", "RRULE:FREQ=HOURLY")),
        zone=BERLIN,
        first=FIRST,
        last=FIRST + timedelta(days=734),
    )
    assert (len(found.spans), found.unread) == (734 * 24, 0)
    assert moment(found.spans[-1][0]) == FIRST + timedelta(days=734) - HOUR


@pytest.mark.parametrize(("rule", "known"), [("FREQ=MINUTELY", 20_000), ("FREQ=DAILY;BYMINUTE=0,10,20,30,40,50;BYHOUR=8,9", 0)])
def test_dates_beyond_the_most_of_a_rule_are_said_to_be_unread(rule: str, known: int) -> None:
    lines = event("DTSTART:20260301T000000Z", "DURATION:PT5S", f"RRULE:{rule}")
    found = busy_spans(file_of(*lines), zone=BERLIN, first=FIRST, last=FIRST + timedelta(days=200))
    assert found.unread == (known > 0)
    assert len(found.spans) == (known or 200 * 12 + 1)


def test_what_never_ends_is_busy_from_its_start() -> None:
    found = busy_spans(file_of(*event("DTSTART:20260305T100000Z", "DURATION:P3000000D")), zone=BERLIN, first=FIRST, last=LAST)
    assert found.spans == [(int(datetime(2026, 3, 5, 10, tzinfo=UTC).timestamp()), int(LAST.timestamp()))]
    assert found.unread == 0


def test_an_override_that_repeats_the_rule_has_one_date() -> None:
    override = ("RECURRENCE-ID;TZID=Europe/Berlin:20260329T090000", "DTSTART:20260329T150000Z", "DTEND:20260329T160000Z")
    assert times(*event(*DAILY), *event(*override, "RRULE:FREQ=DAILY")) == [
        ("03-28 08:00", "03-28 09:00"),
        ("03-29 15:00", "03-29 16:00"),
        ("03-30 07:00", "03-30 08:00"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        file_of(*event(*AT_TEN)).replace(b"\r\n", b"\n"),
        file_of(*event(*AT_TEN)).replace(b"\r\n", b"\r"),
        b"\xef\xbb\xbf" + file_of(*event(*AT_TEN)),
        file_of(*event(*AT_TEN)).decode().encode("utf-16"),
        file_of(*event("SUMMARY:Caf\xe9", *AT_TEN)).decode().encode("latin-1"),
        file_of(*event("DTSTART:2026\r\n 0302T1\r\n\t00000Z", AT_TEN[1])),
    ],
)
def test_line_breaks_folds_and_encodings(content: bytes) -> None:
    assert shown(busy_spans(content, zone=BERLIN, first=FIRST, last=LAST).spans) == TEN


EVERY_SECOND = ";".join(
    (
        "FREQ=DAILY",
        *(f"BY{name}={','.join(map(str, range(end)))}" for name, end in (("HOUR", 24), ("MINUTE", 60), ("SECOND", 60))),
    )
)
LONG_AGO = "DTSTART:19700101T000000Z"
#: Files that others wrote to keep us busy, and what is read of each besides the hour at ten; None if it is refused.
HOSTILE: dict[str, tuple[tuple[str, ...], Times | None]] = {
    "every second since 1970": (event(LONG_AGO, "DURATION:PT1S", f"RRULE:{EVERY_SECOND}"), None),
    "every second from some day on": (event("DTSTART:20991231T000000Z", f"RRULE:{EVERY_SECOND}") * 2000, []),
    "seconds": (event(LONG_AGO, "RRULE:FREQ=SECONDLY"), None),
    "a billion dates": (
        event("DTSTART:20260305T100000Z", "DURATION:P40D", "RRULE:FREQ=DAILY;COUNT=1000000000"),
        [("03-05 10:00", "04-01 00:00")],
    ),
    "dates that no month has": (event("DTSTART:20200101T000000Z", "RRULE:FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2") * 200, []),
    "alarms": (event("DTSTART:20250305T100000Z", *(["BEGIN:VALARM"] * 8000)), []),
    "exceptions": (event(*AT_TEN, *(f"EXDATE:{','.join(['20250101T100000Z'] * 100)}" for _ in range(300))), []),
    "deep components": ((*(["BEGIN:X"] * 10_000), *(["END:X"] * 10_000)), []),
    "ends alone": (("END:X",) * 50_000, []),
    "folds": (event(*AT_TEN, "SUMMARY:x" + "\r\n x" * 100_000), []),
    "a zone with many observances": ((*OWN_ZONE[:2], *(OWN_ZONE[2:-1] * 10_000), OWN_ZONE[-1]), []),
    "many overrides": (event(*DAILY) * 2000 + event("RECURRENCE-ID:20260329T070000Z", *AT_TEN) * 2000, None),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_read_quickly(case: str) -> None:
    """In steps that are counted, not in seconds: the limits of the process are a second line of defence."""
    lines, more = HOSTILE[case]
    content = file_of(*lines, *event(*AT_TEN, uid="2"))
    if more is None:
        with pytest.raises(Invalid, match="repeat too often"):
            busy_spans(content, zone=BERLIN, first=FIRST, last=LAST)
    else:
        assert shown(busy_spans(content, zone=BERLIN, first=FIRST, last=LAST).spans) == [*TEN, *more]
