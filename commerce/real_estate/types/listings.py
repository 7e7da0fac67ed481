"""Listings, feeds, saved searches and inquiries: their choices, limits and keys."""

from datetime import timedelta

from django.db.models import TextChoices

#: The version that changes with every listing that is created, changed or removed.
VERSION = "real_estate"

MAX_KEY = 100
MAX_TITLE = 300
MAX_TEXT = 100
MAX_STATUS = 50
MAX_DESCRIPTION = 20_000
MAX_URL = 2048
MAX_PHOTOS = 50
MAX_MESSAGE = 5_000
MAX_SEARCH_NAME = 100
MAX_FEED_NAME = 100
MAX_LICENSE = 500
MAX_TOKEN = 2000
MAX_CLIENT_ID = 300
MAX_ERROR = 500
MAX_FILE_NAME = 200
#: Problems of a run that are named; the others are counted.
MAX_PROBLEMS = 100
MAX_PROBLEM = 200
#: Saved searches of one account.
MAX_SEARCHES = 20
MAX_MAILED_LISTINGS = 20
#: Greatest values, which also keep hostile numbers out of the database.
MAX_PRICE = 10**12
MAX_ROOMS = 999
MAX_AREA = 10**10
FIRST_YEAR, LAST_YEAR = 1000, 2200
#: Parts of the names of property types that are for rent.
RENTED = ("lease", "rental", "for rent")

DAY = timedelta(days=1)


class PropertyStatus(TextChoices):
    ACTIVE = "active"
    PENDING = "pending"
    SOLD = "sold"
    WITHDRAWN = "withdrawn"


#: The statuses that visitors can search.
ON_MARKET = (PropertyStatus.ACTIVE, PropertyStatus.PENDING)


class RentPeriod(TextChoices):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class HiddenReason(TextChoices):
    """Why a listing is not shown, neither on the site nor by the API."""

    NO_DISPLAY = "no_display", "The feed does not allow it to be shown on the internet"
    COMING_SOON = "coming_soon", "Coming soon"
    RELISTED = "relisted", "Listed again under another key"


class FeedKind(TextChoices):
    RESO = "reso", "RESO Web API"
    FILE = "file", "Uploaded files"


class RunKind(TextChoices):
    FULL = "full", "All listings"
    UPDATE = "update", "Changed listings"
    KEYS = "keys", "Removed listings"
    FILE = "file", "File"


class RunStatus(TextChoices):
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"


#: Part of the error of a run that would have removed more listings than is plausible.
BRAKE = "Nothing was removed."

#: The statuses of runs that are continued.
OPEN = (RunStatus.RUNNING, RunStatus.PAUSED)


class Frequency(TextChoices):
    DAILY = "daily"
    WEEKLY = "weekly"
    NEVER = "never"


#: The time between two emails of a saved search.
EVERY = {Frequency.DAILY: timedelta(days=1), Frequency.WEEKLY: timedelta(days=7)}


def fold_key(text: str) -> str:
    """Return text as it is compared: without case, and with single spaces."""
    return " ".join(text.split()).casefold()


def is_rented(property_type_key: str) -> bool:
    """Return whether the folded name of a property type says that it is for rent."""
    return any(part in property_type_key for part in RENTED)


def property_path(slug: str) -> str:
    """Return the path of a listing's public page."""
    return f"/real-estate/listings/{slug}"


def property_title(street: str, city: str, state: str, postal_code: str, key: str) -> str:
    """Return what a listing is called: its address as far as it may be shown, else its key."""
    place = " ".join(part for part in (state, postal_code) if part)
    named = ", ".join(part for part in (street, city, place) if part)
    return named or f"Listing {key}"


def slug_text(street: str, city: str, state: str, key: str) -> str:
    """Return the text from which the slug of a listing is derived."""
    return " ".join(part for part in (street, city, state, key) if part)
