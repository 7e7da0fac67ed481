"""VEVENTs at an instant: appointments, whose times every calendar shows in its own time zone."""

import datetime as dt
from typing import Literal

from django.utils.encoding import iri_to_uri
from icalendar import Event, vCalAddress, vDatetime, vInt, vText, vUri

from .values import Text, clean

Status = Literal["CONFIRMED", "CANCELLED", "TENTATIVE"]

#: SEQUENCE is an integer of 32 bits.
_MAX_SEQUENCE = 2**31 - 1


def utc_event(
    *,
    uid: str,
    start: dt.datetime,
    end: dt.datetime,
    sequence: int,
    stamp: dt.datetime,
    summary: str,
    description: str = "",
    location: str = "",
    url: str = "",
    organizer: vCalAddress | None = None,
    attendee: vCalAddress | None = None,
    status: Status = "CONFIRMED",
    created: dt.datetime | None = None,
    changed: dt.datetime | None = None,
) -> str:
    """Return the lines of a VEVENT with times in UTC, from aware datetimes; fractions of a second are dropped.

    Texts may contain anything: line breaks are kept, and characters not allowed in calendars are removed. `organizer` and
    `attendee` are made by `values.person`. `stamp` is when this version was made.
    """
    made = Event()
    made["UID"] = Text.of(uid)
    made["DTSTAMP"] = _utc(stamp)
    made["DTSTART"], made["DTEND"] = _utc(start), _utc(end)
    made["SEQUENCE"] = vInt(min(sequence, _MAX_SEQUENCE))
    made["STATUS"] = vText(status)
    made["SUMMARY"] = Text.of(summary)
    for name, text in (("DESCRIPTION", description), ("LOCATION", location)):
        if text:
            made[name] = Text.of(text)
    if url:
        made["URL"] = vUri(iri_to_uri(clean(url)))
    for name, moment in (("CREATED", created), ("LAST-MODIFIED", changed)):
        if moment is not None:
            made[name] = _utc(moment)
    for name, participant in (("ORGANIZER", organizer), ("ATTENDEE", attendee)):
        if participant is not None:
            made[name] = participant
    return made.to_ical().decode()


def _utc(moment: dt.datetime) -> vDatetime:
    return vDatetime(moment.astimezone(dt.UTC).replace(microsecond=0))
