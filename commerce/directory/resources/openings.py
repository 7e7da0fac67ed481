"""Opening hours as visitors read them: whether a listing is open, its week, and the days that differ. In the listing's zone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.types.spans import moment

from ..models import Listing
from ..types.hours import Hours, is_all_day, next_opening

DAY = timedelta(days=1)
#: Hours without an end for longer than this are around the clock.
AROUND_THE_CLOCK = timedelta(days=7)
#: Special days that a page lists.
SHOWN_SPECIAL_DAYS = 10
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Opening:
    """Whether a listing is open: "Open now", and "closes at 17:00"."""

    is_open: bool
    label: str
    #: Empty if it is open around the clock, or closed for longer than is looked ahead.
    note: str
    #: The name of its zone, if that has another time than the site's.
    zone: str
    #: The moment until which all of this is right.
    until: datetime


@dataclass(frozen=True, slots=True)
class DayRow:
    """The hours of a day of the week, or of a date."""

    name: str
    #: Such as "09:00 to 12:00"; none of a day that is closed.
    periods: Sequence[str]
    is_today: bool = False
    is_special: bool = False


def opening_of(listing: Listing, now: datetime) -> Opening | None:
    """Return whether a listing is open; None if its hours are unknown."""
    if not listing.has_hours:
        return None
    local = now.astimezone(listing.zone)
    tomorrow = midnight_after(listing, now)
    span = next_opening(listing.schedule, now)
    if span is None:
        return Opening(False, "Closed", "", "", tomorrow)
    opens, closes = moment(span[0]), moment(span[1])
    if opens > now:
        note = f"opens {_when(opens.astimezone(listing.zone), local)}"
        return Opening(False, "Closed", note, zone_name(listing, now), min(opens, tomorrow))
    if closes - now > AROUND_THE_CLOCK:
        return Opening(True, "Open 24 hours", "", "", tomorrow)
    end = closes.astimezone(listing.zone)
    # Hours that end after midnight need no other day.
    note = f"closes at {site_formats().time(end)}" if closes - now < DAY else f"closes {_when(end, local)}"
    return Opening(True, "Open now", note, zone_name(listing, now), min(closes, tomorrow))


def _when(at: datetime, local: datetime) -> str:
    clock = site_formats().time(at)
    if at.date() == local.date():
        return f"at {clock}"
    if at.date() - local.date() < timedelta(days=7):
        return f"{WEEKDAYS[at.weekday()]} {clock}"
    return f"{site_formats().day(at)}, {clock}"


def midnight_after(listing: Listing, now: datetime) -> datetime:
    """Return the next midnight in the zone of a listing, in UTC."""
    tomorrow = now.astimezone(listing.zone).date() + DAY
    return datetime.combine(tomorrow, time(), tzinfo=listing.zone).astimezone(UTC)


def zone_name(listing: Listing, now: datetime) -> str:
    """Return "New York time"; empty if the clocks of the site show the same."""
    if now.astimezone(listing.zone).utcoffset() == now.astimezone(site_timezone()).utcoffset():
        return ""
    return f"{listing.timezone.rpartition('/')[2].replace('_', ' ')} time"


def week_of(listing: Listing, now: datetime) -> list[DayRow]:
    """Return the days of the week; today has its special hours, if it has some. None of a listing without weekly hours."""
    if listing.hours is None:
        return []
    today = now.astimezone(listing.zone).date()
    special = {entry["date"]: entry["hours"] for entry in listing.special_hours}.get(today.isoformat())
    rows = []
    for place, day in enumerate(DAYS):
        is_today = place == today.weekday()
        hours = special if is_today and special is not None else listing.hours.get(day, ())
        rows.append(DayRow(WEEKDAYS[place], _periods(hours), is_today, is_today and special is not None))
    return rows


def special_days_of(listing: Listing, now: datetime) -> list[DayRow]:
    """Return the next days that differ from the week."""
    today = now.astimezone(listing.zone).date()
    found = ((date.fromisoformat(entry["date"]), entry["hours"]) for entry in listing.special_hours)
    coming = sorted((day, hours) for day, hours in found if day >= today)[:SHOWN_SPECIAL_DAYS]
    formats = site_formats()
    return [DayRow(formats.short_day(day), _periods(hours), day == today, True) for day, hours in coming]


def _periods(hours: Hours) -> list[str]:
    formats = site_formats()
    return [
        "Open 24 hours"
        if is_all_day(each)
        else f"{formats.time(time.fromisoformat(each['open']))} to {formats.time(time.fromisoformat(each['close']))}"
        for each in hours
    ]


def linked_hours(listing: Listing, today: date) -> list[dict[str, Any]]:
    """Return the hours as schema.org's OpeningHoursSpecification: a day without any is closed."""
    week = listing.hours or {}
    found = [
        {"@type": "OpeningHoursSpecification", "dayOfWeek": f"https://schema.org/{name}", **clocks}
        for name, day in zip(WEEKDAYS, DAYS, strict=True)
        for clocks in _clocks(week.get(day, ()))
    ]
    for entry in listing.special_hours:
        if date.fromisoformat(entry["date"]) >= today:
            valid = {"validFrom": entry["date"], "validThrough": entry["date"]}
            closed = [{"opens": "00:00", "closes": "00:00"}]
            found += [{"@type": "OpeningHoursSpecification", **valid, **each} for each in _clocks(entry["hours"]) or closed]
    return found


def _clocks(hours: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return periods as search engines read them: those of 24 hours end a minute before midnight."""
    return [{"opens": each["open"], "closes": "23:59" if is_all_day(each) else each["close"]} for each in hours]
