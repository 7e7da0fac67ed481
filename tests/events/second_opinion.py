"""Compare our dates with those of an independent calendar library: `make second-opinion`.

Runs in an environment of its own (`second_opinion.txt`), which needs an older python-dateutil than ours, and reads what
`our_dates.py` wrote: values, and the dates that we find. Each becomes a VEVENT with an RRULE and a VTIMEZONE, which
recurring-ical-events lays out; instants of start and end are compared, or days where they are whole. Left out is what iCalendar
says otherwise than we do, and nothing else:

- a start that is not among the rule's own days: RFC 5545 leaves undefined what becomes of it, here it is the first date;
- a start that the clocks skip, with an end that they do not: there an end before the start, here the length of the others;
- dates of a zone that skipped a whole day: there two at one instant, here one.

Then it reads calendar files as the site hands them out, which `our_feeds.py` wrote. Their zones are given names that nobody
knows, so that nothing but our own VTIMEZONEs can tell what their times mean.
"""

import datetime as dt
import json
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def main() -> int:
    return max(rules_agree(Path(sys.argv[1])), feeds_agree(Path(sys.argv[2])))


def feeds_agree(path: Path) -> int:
    """Whether the library reads the same dates from our files as are in our tables."""
    different, dates = [], 0
    entries = json.loads(path.read_text())
    for number, entry in enumerate(entries):
        # A name of its own in each file: the library remembers what it has once read under one.
        text = entry["text"].replace("TZID:", f"TZID:Nowhere/{number}/").replace("TZID=", f"TZID=Nowhere/{number}/")
        calendar = icalendar.Calendar.from_ical(text)
        first, last = (dt.date.fromisoformat(entry["dates"][at][0][:10]) for at in (0, -1))
        events = recurring_ical_events.of(calendar).between(first - dt.timedelta(days=2), last + dt.timedelta(days=3))
        found = sorted(span(event) for event in events)
        dates += len(found)
        if found != entry["dates"]:
            different.append((entry, found))
    for entry, found in different[:5]:
        odd = [pair for pair in zip(entry["dates"], found, strict=False) if pair[0] != pair[1]][:3]
        print(f"{entry['value']}\n  {len(entry['dates'])} ours, {len(found)} theirs; {odd}")
    print(f"{len(entries)} files, {dates} dates: {len(different)} differences.")
    return 1 if different or len(entries) < 200 else 0


def rules_agree(path: Path) -> int:
    begin = time.monotonic()
    left_out, different, compared, dates = Counter(), [], 0, 0
    for entry in json.loads(path.read_text()):
        if reason := is_left_out(entry):
            left_out[reason] += 1
            continue
        compared += 1
        dates += len(entry["dates"])
        if (found := theirs(entry)) != entry["dates"]:
            different.append((entry, found))
    for entry, found in different[:5]:
        print(f"{entry['value']}\n  ours   {entry['dates'][:8]}\n  theirs {found[:8]}")
    print(f"{compared} values, {dates} dates, {time.monotonic() - begin:.0f} s: {len(different)} differences.")
    print(f"Left out: {dict(left_out)}")
    return 1 if different or compared < 1000 else 0


def is_left_out(entry):
    value = entry["value"]
    days = value["repeat"]["weekdays"]
    if days and DAYS[dt.date.fromisoformat(value["start"][:10]).weekday()] not in days:
        return "start not among the days"
    if entry["squeezed"]:
        return "start skipped, end not"
    if value["tz"] == "Pacific/Apia" and value["start"] < "2012" and not value["all_day"]:
        return "a whole day skipped"
    return ""


def theirs(entry):
    value = entry["value"]
    calendar = icalendar.Calendar.from_ical(calendar_text(entry))
    # A day more on both sides, so that no instant is cut off by what the library takes a bare date for.
    last = max(entry["dates"][-1][0][:10], entry["horizon"])
    first, last = (dt.date.fromisoformat(text) for text in (value["start"][:10], last))
    events = recurring_ical_events.of(calendar).between(first - dt.timedelta(days=2), last + dt.timedelta(days=3))
    found = sorted(span(event) for event in events)
    is_open = not (value["repeat"]["count"] or value["repeat"]["until"])
    return [dates for dates in found if not is_open or dates[0] <= end_of(entry)]


def end_of(entry):
    """The last instant, or day, on which an occurrence of a rule without end begins."""
    value = entry["value"]
    horizon = dt.date.fromisoformat(entry["horizon"])
    if value["all_day"]:
        return horizon.isoformat()
    clock = dt.datetime.combine(horizon, dt.time(23, 59, 59))
    return clock.replace(tzinfo=ZoneInfo(value["tz"])).astimezone(dt.UTC).isoformat()


def span(event):
    start, end = event.start, event.end
    if not isinstance(start, dt.datetime):
        # Its own last day, not the one after.
        return [start.isoformat(), (end - dt.timedelta(days=1)).isoformat()]
    return [moment.astimezone(dt.UTC).isoformat() for moment in (start, end)]


def calendar_text(entry):
    value = entry["value"]
    start, end = value["start"], value["end"] or value["start"]
    if value["all_day"]:
        after = dt.date.fromisoformat(end) + dt.timedelta(days=1)
        lines = [f"DTSTART;VALUE=DATE:{bare(start)}", f"DTEND;VALUE=DATE:{after:%Y%m%d}"]
        zone = ""
    else:
        lines = [f"DTSTART;TZID={value['tz']}:{bare(start)}", f"DTEND;TZID={value['tz']}:{bare(end)}"]
        zone = vtimezone(value["tz"])
    event = ["BEGIN:VEVENT", "UID:one", "DTSTAMP:20260101T000000Z", *lines, f"RRULE:{rrule(entry)}", "END:VEVENT"]
    return "\r\n".join(
        ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:second opinion", *filter(None, [zone]), *event, "END:VCALENDAR", ""]
    )


def rrule(entry):
    rule = entry["value"]["repeat"]
    parts = [f"FREQ={rule['frequency'].upper()}", f"INTERVAL={rule['interval']}", "WKST=MO"]
    if rule["weekdays"]:
        parts.append("BYDAY=" + ",".join(day[:2].upper() for day in rule["weekdays"]))
    if rule["monthly"] == "weekday":
        weekday = DAYS[dt.date.fromisoformat(entry["value"]["start"][:10]).weekday()]
        parts.append(f"BYDAY={entry['place']}{weekday[:2].upper()}")
    if rule["count"]:
        parts.append(f"COUNT={rule['count']}")
    if entry["until"]:
        parts.append(f"UNTIL={entry['until']}")
    return ";".join(parts)


def bare(text):
    return text.replace("-", "").replace(":", "")


@cache
def vtimezone(name):
    return icalendar.Timezone.from_tzid(name).to_ical().decode().strip()


if __name__ == "__main__":
    sys.exit(main())
