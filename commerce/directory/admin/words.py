"""Texts of the lists and pages of listings."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from typing import Any

from django.utils import timezone

from cms_api.adminkit.columns import local_date, person
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_formats
from commerce.common.types.hours import Weekday

from ..models import Listing
from ..types.hours import is_all_day
from ..types.listings import ListingStatus

TONES = {ListingStatus.PUBLISHED: "positive", ListingStatus.PENDING: "warning"}


def tone(listing: Listing) -> str:
    """Return the colour of a listing's status: that of an expired one is not the colour of what is online."""
    return "critical" if is_over(listing) else TONES.get(ListingStatus(listing.status), "")


def is_over(listing: Listing) -> bool:
    """Return whether a published listing is no longer shown."""
    return listing.is_published and listing.is_expired(timezone.now())


def status_note(listing: Any) -> str:
    """Return what a listing, as the admin reads it, waits for."""
    notes = ("Expired" if is_over(listing) else "", "Change awaits moderation" if listing.has_change else "")
    return " · ".join(filter(None, notes))


def category_names(listing: Listing) -> str:
    return ", ".join(category.name for category in listing.categories.all())


def featured_words(listing: Listing) -> str:
    """Return until when a listing is featured; empty if it is not."""
    if not listing.featured:
        return ""
    return f"Until {local_date(listing.featured_until)}" if listing.featured_until else "Featured"


def owner_words(listing: Listing) -> str | None:
    owner = listing.owner
    if owner is None:
        return None
    return f"{person(owner)} ({owner.email})" if person(owner) != owner.email else owner.email


def hours_words(hours: Iterable[Mapping[str, str]]) -> str:
    """Return the hours of a day as the site formats times."""
    clock = site_formats().time
    periods = [
        "24 hours" if is_all_day(each) else " to ".join(clock(time.fromisoformat(each[key])) for key in ("open", "close"))
        for each in hours
    ]
    return ", ".join(periods) or "Closed"


def hours_rows(listing: Listing) -> list[tuple[str, str]]:
    """Return the hours of the weekdays, if they are known, and of the special days."""
    week = listing.hours
    rows = [(str(label), hours_words(week[day])) for day, label in zip(DAYS, Weekday.labels, strict=True)] if week else []
    formats = site_formats()
    return rows + [(formats.date(date.fromisoformat(each["date"])), hours_words(each["hours"])) for each in listing.special_hours]
