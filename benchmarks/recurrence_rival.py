"""Expands daily events with recurring-ical-events and writes each with icalendar, as a feed does; run by `recurrence.py`.

In the environment of `make second-opinion`: FIRST COUNT SERIES ROUNDS; prints how long it took.
"""

import datetime as dt
import json
import sys
import time

import icalendar
import recurring_ical_events

first, count, series, rounds = dt.date.fromisoformat(sys.argv[1]), *map(int, sys.argv[2:])
source = icalendar.Calendar()
for number in range(series):
    lines = [
        "BEGIN:VEVENT",
        f"UID:{number}",
        f"SUMMARY:Morning song {number}",
        "DTSTAMP:20260101T000000Z",
        f"DTSTART;TZID=Europe/Paris:{first:%Y%m%d}T{number + 8:02}3000",
        f"DTEND;TZID=Europe/Paris:{first:%Y%m%d}T{number + 8:02}5500",
        f"RRULE:FREQ=DAILY;COUNT={count}",
        "END:VEVENT",
    ]
    source.add_component(icalendar.Event.from_ical("\r\n".join(lines)))
wall, cpu, written = [], [], b""
for _ in range(rounds):
    begin, before = time.perf_counter(), time.process_time()
    found = recurring_ical_events.of(source).between(first - dt.timedelta(days=1), first + dt.timedelta(days=count + 1))
    feed = icalendar.Calendar()
    feed.add("version", "2.0")
    feed.add("prodid", "rival")
    feed.add_component(icalendar.Timezone.from_tzid("Europe/Paris"))
    for event in found:
        feed.add_component(event)
    written = feed.to_ical()
    wall.append((time.perf_counter() - begin) * 1000)
    cpu.append((time.process_time() - before) * 1000)
print(json.dumps({"wall": wall, "cpu": cpu, "events": written.count(b"BEGIN:VEVENT")}))
