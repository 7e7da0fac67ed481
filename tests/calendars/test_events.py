"""Events at an instant: each value can be read back, hostile texts stay on their line, and METHOD belongs to the calendar."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar, Event

from cms_api.calendars.events import utc_event
from cms_api.calendars.files import file
from cms_api.calendars.values import person

from .calendar_lines import parse, unfolded

START = dt.datetime(2026, 3, 10, 14, tzinfo=dt.UTC)
HOSTILE = {
    "a line break": ("one\r\nSTATUS:CANCELLED", "one\nSTATUS:CANCELLED"),
    "an end": ("x\nEND:VEVENT\nBEGIN:VEVENT", "x\nEND:VEVENT\nBEGIN:VEVENT"),
    "a NUL": ("a\0b\x1bc", "abc"),
    "a surrogate": ("a\ud800b", "ab"),
    "a separator": ("a\u2028b", "a\nb"),
    "a long line": ("word, " * 500, "word, " * 500),
    "emoji": ("🦆👩‍👩‍👧" * 40, "🦆👩‍👩‍👧" * 40),
    "escapes": (r"C:\New; a, b \, \n", r"C:\New; a, b \, \n"),
}


def made(**changes: Any) -> str:
    values = {
        "uid": "appointment-77@example.com",
        "start": START,
        "end": START + dt.timedelta(minutes=90),
        "sequence": 2,
        "stamp": START,
        "summary": "Wheel throwing",
    }
    return utc_event(**{**values, **changes})


def read(event: str, **options: Any) -> Event:
    (found,) = Calendar.from_ical(file([event], **options)).events
    return found


def test_it_works() -> None:
    organizer, guest = (
        person('Potters & Co; "Clay"', "studio@example.com"),
        person("Dana", "dana@example.com", PARTSTAT="ACCEPTED"),
    )
    lines = made(
        description="Bring an apron.",
        location="Kiln Street 1",
        url="https://example.com/m/6Jt0",
        organizer=organizer,
        attendee=guest,
        created=START - dt.timedelta(days=9),
        changed=START - dt.timedelta(days=1, microseconds=1),
    )
    assert lines.startswith("BEGIN:VEVENT\r\n")
    assert lines.endswith("END:VEVENT\r\n")
    parse(file([lines], method="REQUEST"))
    event = read(lines)
    assert (event.start, event.end) == (START, START + dt.timedelta(minutes=90))
    assert (event["UID"], event["SEQUENCE"], event["STATUS"]) == ("appointment-77@example.com", 2, "CONFIRMED")
    assert (event["SUMMARY"], event["DESCRIPTION"]) == ("Wheel throwing", "Bring an apron.")
    assert (event["LOCATION"], event["URL"]) == ("Kiln Street 1", "https://example.com/m/6Jt0")
    assert (event["ORGANIZER"], event["ATTENDEE"]) == ("mailto:studio@example.com", "mailto:dana@example.com")
    assert event["ATTENDEE"].params["PARTSTAT"] == "ACCEPTED"
    assert event["CREATED"].dt == START - dt.timedelta(days=9)
    assert event["LAST-MODIFIED"].dt == START - dt.timedelta(days=1, seconds=1)


def test_empty_values_are_left_out() -> None:
    names = {line.partition(":")[0] for line in made().splitlines()}
    assert names == {"BEGIN", "UID", "DTSTAMP", "DTSTART", "DTEND", "SEQUENCE", "STATUS", "SUMMARY", "END"}


def test_times_of_any_zone_are_written_in_utc() -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    lines = made(start=START.astimezone(tokyo), stamp=START.astimezone(tokyo)).splitlines()
    assert {"DTSTART:20260310T140000Z", "DTEND:20260310T153000Z", "DTSTAMP:20260310T140000Z"} <= set(lines)


@pytest.mark.parametrize("name", ["summary", "description", "location", "uid"])
@pytest.mark.parametrize(("text", "expected"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_stay_on_their_line(name: str, text: str, expected: str) -> None:
    lines = made(**{name: text})
    plain = len(list(unfolded(made(**{name: "x"}).encode())))
    assert len(list(unfolded(lines.encode()))) == plain
    event = read(lines)
    assert event[name.upper()] == expected
    assert event["STATUS"] == "CONFIRMED"


@given(st.text(max_size=200))
def test_no_participant_and_no_url_breaks_out(text: str) -> None:
    lines = made(organizer=person(text, text), attendee=person(text, text), url=text and "https://example.com/" + text)
    assert len(list(unfolded(lines.encode()))) == len(made().splitlines()) + 2 + bool(text)
    assert lines.count("\nSTATUS:") == 1


def test_urls_are_ascii() -> None:
    assert read(made(url="https://example.com/bücher\r\nX:1 \0"))["URL"] == "https://example.com/b%C3%BCcher%0AX:1%20"


@pytest.mark.parametrize("status", ["CONFIRMED", "CANCELLED", "TENTATIVE"])
def test_every_status(status: str) -> None:
    assert read(made(status=status))["STATUS"] == status


def test_a_method_belongs_to_the_calendar() -> None:
    body = file([made(status="CANCELLED")], method="CANCEL")
    calendar = Calendar.from_ical(body)
    assert calendar["METHOD"] == "CANCEL"
    assert body.count(b"METHOD") == 1
    assert body.index(b"METHOD:CANCEL") < body.index(b"BEGIN:VEVENT")
    assert b"METHOD" not in file([made()])


def test_feeds_have_a_title_and_an_interval() -> None:
    body = file([made(), made(uid="2")], title="Robin\r\nX:1", refresh=True)
    assert b"\r\nNAME:Robin\\nX:1\r\n" in body
    calendar = Calendar.from_ical(body)
    assert b"\r\nX-WR-CALNAME:Robin\\nX:1\r\n" in body
    assert b"\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n" in body
    assert b"\r\nX-PUBLISHED-TTL:PT1H\r\n" in body
    assert [str(event["UID"]) for event in calendar.events] == ["appointment-77@example.com", "2"]
    assert "NAME" not in Calendar.from_ical(file([made()]))


def test_an_empty_calendar_is_valid() -> None:
    assert [part.value("TZID") for part in parse(file([])).parts] == ["UTC"]
