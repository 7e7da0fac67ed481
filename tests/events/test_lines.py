"""Content lines: whatever is written can be read back, and no line is too long."""

from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from events.resources.lines import quoted, text_line

from .calendar_lines import unfolded

WRITTEN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], include_characters="\n\t"), max_size=400)


def read(line: str) -> str:
    event = f"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n{line}END:VEVENT\r\nEND:VCALENDAR\r\n"
    return str(Calendar.from_ical(event.encode()).events[0]["SUMMARY"])


def test_it_works() -> None:
    assert text_line("SUMMARY", "a, b; c\\N\r\nd") == "SUMMARY:a\\, b\\; c\\\\N\\nd\r\n"


@given(WRITTEN)
def test_texts_arrive(text: str) -> None:
    line = text_line("SUMMARY", text)
    assert len(list(unfolded(line.encode()))) == 1
    assert read(line) == text


@given(st.text(max_size=200))
def test_no_text_breaks_out(text: str) -> None:
    for line in (text_line("SUMMARY", text), text_line(f"X;CN={quoted(text)}", "x")):
        assert len(list(unfolded(line.encode("utf-8")))) == 1


def test_lines_are_cut_between_characters_only() -> None:
    for length in range(60, 90):
        for sign in "aé山🦆":
            folded = text_line("SUMMARY", "x" * (length % 7) + sign * length)
            assert all(len(part) <= 75 for part in folded.encode().split(b"\r\n"))
            assert read(folded) == "x" * (length % 7) + sign * length


def test_line_breaks_of_every_kind_are_one() -> None:
    assert text_line("SUMMARY", "a\rb\r\nc\nd\u2028e\u2029f\x85g") == "SUMMARY:a\\nb\\nc\\nd\\ne\\nf\\ng\r\n"
