"""Creates, changes and deletes members of staff, their hours and their time off."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.core.locks import get_row, lock_for_share
from cms_api.core.records import delete_record, lock_or_build, set_values, store_record
from cms_api.core.time_zones import zone_named
from commerce.common.services.checks import check_image, check_line, check_text, check_whole, is_whole
from commerce.common.types import read_email
from commerce.common.types.hours import Period

from ..models import DateOverride, Service, Staff, TimeOff, WorkingHours
from ..types.services import (
    LONGEST_ABSENCE_DAYS,
    MAX_DESCRIPTION,
    MAX_HOURS,
    MAX_NAME,
    MAX_PERIODS,
    MAX_POSITION,
    MAX_URL,
    VERSION,
)
from .slots import lock_staff

ATTRIBUTES = ("name", "email", "title", "description", "user", "timezone", "works_on_holidays", "is_visible", "position")
OVERLAP = "These hours overlap."


@transaction.atomic
def save_staff(*, values: Mapping[str, Any], staff: Staff | None = None, user: Any = None) -> Staff:
    """Create or change a member of staff; values not given are unchanged. A new email or user gives the feed a new address.

    Besides `ATTRIBUTES`, `values` may have `image` (the id of an image of the library, or None), `services` (all that the member
    offers), `calendar_url` (an iCal address to read busy times from) and `hours`: all weekly periods, each with `weekday` (0 is
    Monday), `opens`, `closes` and `service_id` (None for all services). Raises Invalid by path: `hours.2.closes`.
    """
    now = timezone.now()
    errors = ErrorCollector()
    image = check_image(errors, "image", values.get("image"))
    if staff:
        lock_staff([staff.pk])
    saved = get_row(Staff.objects.all(), staff.pk) if staff else Staff(created_at=now, feed_key=secrets.token_urlsafe(32))
    former = saved.email, saved.user_id
    set_values(saved, values, ATTRIBUTES)
    if "image" in values:
        saved.image_id = image
    if "calendar_url" in values and values["calendar_url"] != saved.calendar_url:
        saved.calendar_url = values["calendar_url"]
        saved.calendar_checked_at, saved.calendar_read_at, saved.calendar_error = None, None, ""
    saved.updated_at = now
    _check_staff(errors, saved)
    hours = _check_hours(errors, values.get("hours"))
    services = _check_services(errors, values.get("services"))
    errors.raise_if_any()
    if any(before and before != after for before, after in zip(former, (saved.email, saved.user_id), strict=True)):
        # Another person may have this place now, and the former one knows the address of the feed.
        saved.feed_key = secrets.token_urlsafe(32)
    store_record(saved, user=user)
    if services is not None:
        saved.services.set(services)
    if hours is not None:
        saved.hours.all().delete()
        WorkingHours.objects.bulk_create([WorkingHours(staff=saved, **each) for each in hours])
    if not saved.calendar_url:
        saved.busy_times.all().delete()
    versions.bump(VERSION)
    return saved


def _check_staff(errors: ErrorCollector, staff: Staff) -> None:
    check_line(errors, "name", staff.name, MAX_NAME, needed=True)
    check_line(errors, "title", staff.title, MAX_NAME)
    check_text(errors, "description", staff.description, MAX_DESCRIPTION)
    check_whole(errors, "position", staff.position, MAX_POSITION)
    if staff.email:
        with errors.under():
            staff.email = read_email(staff.email)
    if zone_named(staff.timezone) is None:
        errors.add("timezone", invalid_choice("timezone"))
    address = staff.calendar_url = staff.calendar_url.strip()
    if address and not (
        len(address) <= MAX_URL and address.isprintable() and address.lower().startswith(("https://", "webcal://"))
    ):
        errors.add("calendar_url", "The calendar address must begin with https:// or webcal://.")


def _check_services(errors: ErrorCollector, services: Sequence[Service] | None) -> list[int] | None:
    if services is None:
        return None
    ids = sorted(each.pk for each in services)
    if not lock_for_share(Service, ids):
        errors.add("services", invalid_choice("services"))
    return ids


def _check_hours(errors: ErrorCollector, hours: Sequence[Mapping[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Return weekly periods as rows. Those for the same service may not overlap."""
    if hours is None:
        return None
    if len(hours) > MAX_HOURS:
        errors.add("hours", f"There may be at most {MAX_HOURS} periods.")
        return None
    found: list[dict[str, Any]] = []
    for number, row in enumerate(hours):
        for name in ("opens", "closes"):
            if not isinstance(row.get(name), time):
                errors.add(f"hours.{number}.{name}", required_message(name))
        if not is_whole(row.get("weekday"), 0, 6):
            errors.add(f"hours.{number}.weekday", invalid_choice("weekday"))
        names = ("weekday", "opens", "closes", "service_id")
        found.append({name: row.get(name) for name in names})
    if not errors.errors:
        for number in _overlapping(found):
            errors.add(f"hours.{number}.opens", OVERLAP)
    known = {row["service_id"] for row in found} - {None}
    if known and not lock_for_share(Service, sorted(known)):
        errors.add("hours", invalid_choice("service"))
    return found


def _overlapping(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the numbers of the periods that begin before an earlier one of the same day and service ends."""
    found = []
    ends: dict[tuple[int, Any], int] = {}
    for number, row in sorted(enumerate(rows), key=lambda each: each[1]["opens"]):
        key = row["weekday"], row["service_id"]
        opens, closes = _minutes(row["opens"]), _minutes(row["closes"])
        if opens < ends.get(key, 0):
            found.append(number)
        ends[key] = max(ends.get(key, 0), closes if closes > opens else closes + 24 * 60)
    return found


def _minutes(clock: time) -> int:
    return 60 * clock.hour + clock.minute


def delete_staff(*, staff: Staff, user: Any = None) -> None:
    """Delete a member of staff. Raises Invalid (`staff`) for one who has been booked."""
    in_use = {"staff": "This member of staff has appointments. Hide it instead."}
    delete_record(record=staff, user=user, in_use=in_use, version=VERSION)


@transaction.atomic
def renew_feed(*, staff: Staff, user: Any = None) -> str:
    """Give the private feed another address, and return its secret; the former address stops working."""
    key = secrets.token_urlsafe(32)
    get_row(Staff.objects.select_for_update(no_key=True), staff.pk)
    Staff.objects.filter(pk=staff.pk).update(feed_key=key, updated_at=timezone.now())
    log(instance=staff, action="booking.renew_feed", user=user)
    return key


@transaction.atomic
def save_override(*, values: Mapping[str, Any], override: DateOverride | None = None, user: Any = None) -> DateOverride:
    """Create or change the hours of one date: `staff`, `date` and `periods`, pairs such as ("11:00", "14:00").

    Without periods, it is a day off. Raises Invalid by attribute.
    """
    saved = lock_or_build(DateOverride, override)
    set_values(saved, values, ("staff", "date", "periods"))
    errors = ErrorCollector()
    if not saved.staff_id:
        errors.add("staff", required_message("staff"))
    if not saved.date:
        errors.add("date", required_message("date"))
    with errors.under("periods"):
        saved.periods = read_periods(saved.periods)
    errors.raise_if_any()
    return store_record(saved, user=user, refusal={"date": taken_message("date")})


def read_periods(pairs: Any) -> list[list[str]]:
    """Return the periods of a date as they are stored. Raises Invalid."""
    try:
        periods = sorted(Period(*map(time.fromisoformat, pair)) for pair in pairs)
    except (TypeError, ValueError):
        raise Invalid({"": "The hours must be times such as 11:00-14:00."}) from None
    if len(periods) > MAX_PERIODS:
        raise Invalid({"": f"A day may have at most {MAX_PERIODS} periods."})
    if _overlapping([{"weekday": 0, "service_id": None, "opens": each.opens, "closes": each.closes} for each in periods]):
        raise Invalid({"": OVERLAP})
    return [[each.opens.isoformat("minutes"), each.closes.isoformat("minutes")] for each in periods]


@transaction.atomic
def save_time_off(*, values: Mapping[str, Any], time_off: TimeOff | None = None, user: Any = None) -> TimeOff:
    """Create or change a time off: `staff` (None for everyone), `starts_at`, `ends_at`, `note`. Appointments in it stay.

    Raises Invalid by attribute.
    """
    saved = lock_or_build(TimeOff, time_off)
    set_values(saved, values, ("staff", "starts_at", "ends_at", "note"))
    errors = ErrorCollector()
    for name in ("starts_at", "ends_at"):
        if not isinstance(getattr(saved, name), datetime):
            errors.add(name, required_message(name))
    check_line(errors, "note", saved.note, MAX_NAME)
    errors.raise_if_any()
    if saved.ends_at <= saved.starts_at:
        raise Invalid({"ends_at": "The end must be after the start."})
    if saved.ends_at - saved.starts_at > timedelta(days=LONGEST_ABSENCE_DAYS):
        raise Invalid({"ends_at": f"A time off may last at most {LONGEST_ABSENCE_DAYS} days."})
    return store_record(saved, user=user, refusal={"starts_at": taken_message("from")})
