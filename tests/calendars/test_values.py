"""Values of calendars: each can be read back as it was written, and no text breaks out of its line."""

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar, Event

from cms_api.calendars.values import Position, Text, person

from .calendar_lines import unfolded

WRITTEN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], include_characters="\n\t"), max_size=400)


def written(text: str) -> bytes:
    event = Event()
    event["SUMMARY"] = Text.of(text)
    return event.to_ical()


def read(body: bytes) -> str:
    (event,) = Calendar.from_ical(b"BEGIN:VCALENDAR\r\n" + body + b"END:VCALENDAR\r\n").events
    return str(event["SUMMARY"])


def test_it_works() -> None:
    assert Text.of("a, b; c\\N\r\nd\\\\N\\n").to_ical() == b"a\\, b\\; c\\\\N\\nd\\\\\\\\N\\\\n"


@given(WRITTEN)
def test_texts_arrive(text: str) -> None:
    body = written(text)
    assert len(list(unfolded(body))) == 3
    assert read(body) == text


@given(st.text(max_size=200))
def test_no_text_breaks_out(text: str) -> None:
    event = Event()
    event["SUMMARY"], event["ATTENDEE"] = Text.of(text), person(text, text)
    assert len(list(unfolded(event.to_ical()))) == 4


def test_lines_are_cut_between_characters_only() -> None:
    for length in range(60, 90):
        for sign in "aé山🦆":
            text = "x" * (length % 7) + sign * length
            body = written(text)
            assert all(len(part) <= 75 for part in body.split(b"\r\n"))
            assert read(body) == text


def test_line_breaks_of_every_kind_are_one() -> None:
    assert Text.of("a\rb\r\nc\nd\u2028e\u2029f\x85g").to_ical() == b"a\\nb\\nc\\nd\\ne\\nf\\ng"


def test_positions_have_no_exponents() -> None:
    assert Position((-52.4, 0.00001)).to_ical() == "-52.400000;0.000010"
