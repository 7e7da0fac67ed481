"""Listings: statuses, limits, their order, and the parts that members change. No database access."""

from datetime import timedelta

from django.db.models import TextChoices

from cms_api.text.search import fold

#: Changes with every change of what the public pages of the directory show.
VERSION = "directory"

MAX_NAME = 150
MAX_DESCRIPTION = 10_000
MAX_URL = 500
MAX_CATEGORIES = 5
MAX_PICTURES = 12
#: Bytes of a picture that an owner uploads, and its types: nothing that needs cleaning, such as SVG.
MAX_PICTURE_BYTES = 10 * 1024 * 1024
PICTURE_TYPES = ("jpg", "jpeg", "png", "webp", "avif", "gif")
MAX_REASON = 500
MAX_MESSAGE = 5000
#: Of the name, as lists are sorted by it.
MAX_SORT_CHARACTERS = 100
#: Listings of one account.
MAX_OWNED_LISTINGS = 50

#: Addresses below /directory/ that no listing can have.
RESERVED = frozenset({"submit", "category", "near", "map", "claim", "contact"})

#: Days before the end of a term on which the owner is reminded; the last one is the day of the end.
REMINDER_DAYS = (14, 3, 0)

#: Views of lists: published and not expired; and every listing.
LIVE, ALL = "live", "all"


class ListingStatus(TextChoices):
    PUBLISHED = "published", "Published"
    #: Submitted, and waiting for moderation.
    PENDING = "pending", "Pending"
    ARCHIVED = "archived", "Archived"


class ExpiredPage(TextChoices):
    """The answer at the address of a listing whose term has ended."""

    NOT_FOUND = "not_found", "Page not found"
    NOTICE = "notice", "A page that says that it is no longer listed"


#: Members change these only with moderation: a listing stays the one that was approved.
MODERATED = ("name", "categories", "street", "street2", "city", "state", "postal_code", "country", "latitude", "longitude")
ADDRESS = ("street", "street2", "city", "state", "postal_code", "country")

#: The lengths of the parts of an address are those of the columns.
CLAIM_CODE_LIFETIME = timedelta(minutes=30)
MAX_CODE_ATTEMPTS = 5


class ClaimMethod(TextChoices):
    """How somebody shows that a listing is theirs."""

    #: A code, sent to the address that the listing has already.
    EMAIL = "email", "Code by email"
    #: A message that staff check by hand.
    MANUAL = "manual", "Checked by staff"


class ClaimStatus(TextChoices):
    PENDING = "pending", "Pending"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"


class ChangeStatus(TextChoices):
    """Of a change to a moderated part of a listing."""

    PENDING = "pending", "Pending"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    #: The owner sent a later one.
    REPLACED = "replaced", "Replaced"


def sort_key(name: str, *, featured: bool) -> str:
    """Return the text by which lists are sorted: featured listings first, then by name, without accents and capitals."""
    return ("0" if featured else "1") + fold(name)[: MAX_SORT_CHARACTERS - 1]
