"""Time zones in calendars: an evaluator of their observances compares them with zoneinfo."""

import datetime as dt
import re
from bisect import bisect_right
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil import rrule
from icalendar import Timezone

from cms_api.calendars.timezones import vtimezone

from .calendar_lines import Component, parse

ZONES = [
    "Europe/Paris",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Pacific/Chatham",
    "Africa/Casablanca",
    "Europe/Dublin",
    "America/St_Johns",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Antarctica/Troll",
    "Asia/Jerusalem",
    "America/Nuuk",
    "Africa/Cairo",
    "Asia/Gaza",
    "UTC",
]
FORMAT = "%Y%m%dT%H%M%S"


def described(name: str, years: Any) -> Component:
    body = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{vtimezone(name, years)}END:VCALENDAR\r\n"
    (zone,) = parse(body.encode()).all("VTIMEZONE")
    return zone


def offset(text: str) -> dt.timedelta:
    sign = -1 if text[0] == "-" else 1
    hours, minutes, seconds = int(text[1:3]), int(text[3:5]), int(text[5:7] or 0)
    return sign * dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)


class Evaluated:
    """The onsets of a VTIMEZONE, as RFC 5545 has them read."""

    def __init__(self, zone: Component, until: int) -> None:
        found = []
        for part in zone.parts:
            start = dt.datetime.strptime(part.value("DTSTART"), FORMAT)
            before, after = offset(part.value("TZOFFSETFROM")), offset(part.value("TZOFFSETTO"))
            locals_ = [start, *(dt.datetime.strptime(each, FORMAT) for each in part.values("RDATE"))]
            for rule in part.values("RRULE"):
                locals_ += self._recurring(rule, start, before, until)
            found += [(local - before, after, part.value("TZNAME")) for local in set(locals_)]
        self.onsets = sorted(found)

    def _recurring(self, rule: str, start: dt.datetime, before: dt.timedelta, until: int) -> list[dt.datetime]:
        end = re.search(r";UNTIL=(\w+)", rule)
        last = dt.datetime.strptime(end[1], FORMAT + "Z") + before if end else dt.datetime(until, 12, 31)
        rule = rule.replace(end[0], "") if end else rule
        found = list(rrule.rrulestr(rule, dtstart=start).between(start, last, inc=True))
        assert start in found, "the first date must be one of the rule's"
        assert not end or found[-1] == last
        return found

    def at(self, moment: dt.datetime) -> tuple[dt.timedelta, str]:
        """Offset and name at a UTC time."""
        place = bisect_right([onset[0] for onset in self.onsets], moment) - 1
        assert place >= 0, "before the first onset"
        return self.onsets[place][1:]

    def instant(self, local: dt.datetime) -> dt.datetime:
        """UTC of a local time: by the last onset that is not after it, as clocks before that onset show it."""
        found = None
        for index, (begins, after, _) in enumerate(self.onsets):
            before = self.onsets[index - 1][1] if index else after
            # An hour that comes twice means the first.
            if begins + max(before, after) <= local or (index == 0 and begins + after <= local):
                found = after
        assert found is not None
        return local - found


def shown(zone: ZoneInfo, moment: dt.datetime) -> tuple[dt.timedelta, str]:
    local = moment.replace(tzinfo=dt.UTC).astimezone(zone)
    found = local.utcoffset()
    assert found is not None
    return found, local.tzname() or ""


def hours(first: dt.datetime, last: dt.datetime, step: int = 60) -> list[dt.datetime]:
    count = int((last - first).total_seconds()) // (step * 60)
    return [first + dt.timedelta(minutes=step * number) for number in range(count)]


def transitions(zone: ZoneInfo, years: range) -> list[dt.datetime]:
    """Beginnings of quarters of a day, in UTC, within which clocks change."""
    every = hours(dt.datetime(years[0], 1, 1), dt.datetime(years[-1] + 1, 1, 1), 6 * 60)
    return [before for before, after in pairwise(every) if shown(zone, before) != shown(zone, after)]


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("years", [range(2021, 2031), range(2006, 2016)], ids=["now", "earlier"])
def test_it_works(name: str, years: range) -> None:
    zone, found = ZoneInfo(name), Evaluated(described(name, years), years[-1])
    quarter = dt.timedelta(hours=6)
    for change in transitions(zone, years):
        for moment in hours(change - quarter, change + 2 * quarter, 15):
            assert found.at(moment) == shown(zone, moment), moment
    for moment in hours(dt.datetime(years[0], 1, 1, 12), dt.datetime(years[-1], 12, 31), 7 * 24 * 60):
        assert found.at(moment) == shown(zone, moment), moment


@pytest.mark.parametrize("name", ZONES)
def test_local_times_are_the_instants_that_the_site_means(name: str) -> None:
    years = range(2021, 2031)
    zone, found = ZoneInfo(name), Evaluated(described(name, years), years[-1])
    for change in transitions(zone, years):
        middle = change + (zone.utcoffset(change) or dt.timedelta(0))
        for local in hours(middle - dt.timedelta(hours=5), middle + dt.timedelta(hours=11), 30):
            meant = local.replace(tzinfo=zone, fold=0).astimezone(dt.UTC).replace(tzinfo=None)
            if (meant.replace(tzinfo=dt.UTC).astimezone(zone)).replace(tzinfo=None) == local:
                assert found.instant(local) == meant, local


def test_the_evaluator_finds_an_hour_too_much() -> None:
    """Its positive control: what icalendar would have written, the time after the change instead of the one before."""
    zone = described("Europe/Paris", [2026])
    (summer,) = zone.all("DAYLIGHT")
    summer.lines = [(name, more, value.replace("T020000", "T030000")) for name, more, value in summer.lines]
    change = dt.datetime(2026, 3, 29, 1)
    assert Evaluated(zone, 2026).at(change) != shown(ZoneInfo("Europe/Paris"), change)
    assert Evaluated(described("Europe/Paris", [2026]), 2026).at(change) == shown(ZoneInfo("Europe/Paris"), change)


@pytest.mark.parametrize(
    "name", ["Europe/Paris", "Australia/Lord_Howe", "Africa/Casablanca", "Europe/Dublin", "America/St_Johns"]
)
def test_another_reader_understands_it_alike(name: str) -> None:
    """Under a name that no reader knows, so that it has to go by the description."""
    text = vtimezone(name, range(2026, 2031)).replace(f"TZID:{name}", f"TZID:Our own {name}")
    found, zone = Timezone.from_ical(text).to_tz(), ZoneInfo(name)
    for local in hours(dt.datetime(2026, 1, 1, 12), dt.datetime(2030, 12, 31), 24 * 60):
        assert local.replace(tzinfo=found).utcoffset() == local.replace(tzinfo=zone).utcoffset(), local


def test_the_usual_zone_is_one_rule_for_summer_and_one_for_winter() -> None:
    zone = described("Europe/Paris", [2026, 2027])
    assert [(part.name, len(part.values("RRULE"))) for part in zone.parts] == [("DAYLIGHT", 1), ("STANDARD", 1)]


def test_clocks_change_by_the_time_they_showed_before() -> None:
    zone = described("Europe/Paris", [2026])
    summer, winter = zone.all("DAYLIGHT")[0], zone.all("STANDARD")[-1]
    assert summer.value("DTSTART").endswith("0330T020000")
    assert (summer.value("TZOFFSETFROM"), summer.value("TZOFFSETTO")) == ("+0100", "+0200")
    assert summer.value("RRULE") == "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3"
    assert winter.value("DTSTART").endswith("1026T030000")
    assert winter.value("TZNAME") == "CET"


def test_a_zone_without_changes_is_one_observance() -> None:
    for name, text in {"UTC": "+0000", "Asia/Kathmandu": "+0545", "Etc/GMT+5": "-0500"}.items():
        (part,) = described(name, [2026]).parts
        assert (part.name, part.value("TZOFFSETTO")) == ("STANDARD", text)


def test_half_hours_of_summer_time() -> None:
    zone = described("Australia/Lord_Howe", [2026])
    assert {part.value("TZOFFSETTO") for part in zone.parts} == {"+1030", "+1100"}


@pytest.mark.parametrize("years", [[1], [9999], [1, 1850, 9999], [1883, 2026], range(1995, 2003)], ids=str)
@pytest.mark.parametrize("name", ["America/New_York", "Asia/Tokyo", "Pacific/Apia", "Europe/Amsterdam"])
def test_years_far_apart_are_right_and_those_between_are_left_out(name: str, years: Any) -> None:
    zone, text = ZoneInfo(name), described(name, years)
    found = Evaluated(text, max(years))
    for year in years:
        for moment in hours(dt.datetime(year, 1, 3), dt.datetime(year, 12, 29), 12 * 60):
            assert found.at(moment) == shown(zone, moment), moment
    assert sum(len(part.lines) for part in text.parts) < 120


def test_it_is_made_once() -> None:
    assert vtimezone("Europe/Oslo", [2026, 2027]) is vtimezone("Europe/Oslo", {2027, 2026})
