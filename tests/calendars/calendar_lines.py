"""Reads iCalendar strictly, line by line, and says what RFC 5545 would not have."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE = re.compile(
    r'(?P<name>[A-Z0-9-]+)(?P<parameters>(?:;[A-Z0-9-]+=(?:"[^"\x00-\x1f\x7f]*"|[^";:,\x00-\x1f\x7f]*))*):(?P<value>.*)',
    re.DOTALL,
)
_TEXT = re.compile(r"(?:[^\\;,\x00-\x1f\x7f]|\\[\\;,nN])*")
_TEXTS = {"SUMMARY", "DESCRIPTION", "LOCATION", "UID", "NAME", "X-WR-CALNAME", "PRODID", "TZNAME", "TZID"}
_REQUIRED = {
    "VCALENDAR": {"VERSION", "PRODID"},
    "VEVENT": {"UID", "DTSTAMP", "DTSTART", "LAST-MODIFIED", "SEQUENCE", "SUMMARY", "STATUS"},
    "VTIMEZONE": {"TZID"},
    "STANDARD": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "TZNAME"},
    "DAYLIGHT": {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "TZNAME"},
}
_MANY = {"RDATE", "ATTENDEE", "BEGIN", "END"}
_DATE, _LOCAL, _UTC = r"\d{8}", r"\d{8}T\d{6}", r"\d{8}T\d{6}Z"


@dataclass
class Component:
    name: str
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    parts: list["Component"] = field(default_factory=list)

    def all(self, name: str) -> list["Component"]:
        return [part for part in self.parts if part.name == name]

    def value(self, name: str) -> str:
        return next(value for given, _, value in self.lines if given == name)

    def values(self, name: str) -> list[str]:
        return [value for given, _, value in self.lines if given == name]

    def parameters(self, name: str) -> str:
        return next(parameters for given, parameters, _ in self.lines if given == name)


def unfolded(body: bytes) -> Iterator[str]:
    assert body.endswith(b"\r\n")
    whole = b""
    for line in body[:-2].split(b"\r\n"):
        assert len(line) <= 75, line
        assert line, "an empty line"
        assert b"\r" not in line
        assert b"\n" not in line
        line.decode()
        if line.startswith(b" "):
            whole += line[1:]
        else:
            if whole:
                yield whole.decode()
            whole = line
    yield whole.decode()


def parse(body: bytes) -> Component:
    """The calendar, after everything in it was found to be in order."""
    top = Component("")
    open_ = [top]
    for line in unfolded(body):
        found = _LINE.fullmatch(line)
        assert found, line
        name, parameters, value = found["name"], found["parameters"], found["value"]
        if name == "BEGIN":
            part = Component(value)
            open_[-1].parts.append(part)
            open_.append(part)
        elif name == "END":
            assert open_.pop().name == value
        else:
            _check_value(name, parameters, value)
            open_[-1].lines.append((name, parameters, value))
    assert open_ == [top]
    (calendar,) = top.parts
    assert calendar.name == "VCALENDAR"
    assert calendar.parts, "a calendar needs some part"
    _check_component(calendar)
    _check_whole(calendar)
    return calendar


def _check_value(name: str, parameters: str, value: str) -> None:
    if name in _TEXTS:
        assert _TEXT.fullmatch(value), (name, value)
    if name in {"DTSTAMP", "LAST-MODIFIED", "CREATED"}:
        assert re.fullmatch(_UTC, value), (name, value)
    if name in {"DTSTART", "DTEND"}:
        form = _DATE if parameters == ";VALUE=DATE" else _LOCAL if parameters.startswith(";TZID=") else rf"{_LOCAL}Z?"
        assert re.fullmatch(form, value), (name, parameters, value)
    if name == "SEQUENCE":
        assert value.isdigit()
        assert int(value) < 2**31
    if name == "URL":
        assert value.isascii()
    if name == "GEO":
        assert re.fullmatch(r"-?\d+\.\d+;-?\d+\.\d+", value)


def _check_component(component: Component) -> None:
    names = Counter(name for name, _, _ in component.lines)
    assert names.keys() >= _REQUIRED[component.name], (component.name, names)
    assert not {name for name, count in names.items() if count > 1 and name not in _MANY}, names
    if component.name == "VEVENT" and "DTEND" in names:
        assert component.value("DTEND") > component.value("DTSTART")
        assert component.parameters("DTEND") == component.parameters("DTSTART")
    if component.name == "VTIMEZONE":
        assert component.parts
    for part in component.parts:
        _check_component(part)


def _check_whole(calendar: Component) -> None:
    events = calendar.all("VEVENT")
    uids = Counter(event.value("UID") for event in events)
    assert not [uid for uid, count in uids.items() if count > 1]
    described = Counter(zone.value("TZID") for zone in calendar.all("VTIMEZONE"))
    assert set(described.values()) <= {1}
    named = {
        parameters.removeprefix(";TZID=")
        for event in events
        for _, parameters, _ in event.lines
        if parameters.startswith(";TZID=")
    }
    assert named <= described.keys()
    for event in events:
        if event.parameters("DTSTART") == "" and not event.value("DTSTART").endswith("Z"):
            raise AssertionError("a floating time")
