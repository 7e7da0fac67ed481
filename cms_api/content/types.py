"""Statuses of an item and the rules that need no database."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from anyascii import anyascii
from django.db.models import TextChoices
from django.utils.text import slugify

from cms_api.core.errors import Invalid

MAX_SLUG = 200

#: A span beyond this is found by an index of its own, so that a calendar need not look at everything that began before.
LONG = timedelta(days=31)
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)

#: In the place of the epoch under which an item was prepared: its JSON is made whenever it is read, and never kept.
MADE_WHEN_READ = 2**63 - 1

#: In an item's data, beside its fields: who sent it in. Shown to nobody who may not write.
ORIGIN = "_submission"

#: First path segments that belong to the site itself; no content type may take them.
RESERVED_SLUGS = frozenset(
    [
        "admin",
        "api",
        "accounts",
        "calendar",
        "comments",
        "documents",
        "feeds",
        "forms",
        "healthz",
        "media",
        "readyz",
        "robots.txt",
        "rsvp",
        "search",
        "sitemap.xml",
        "static",
        "subscribe",
        "subscriptions",
        "unsubscribe",
    ]
)


class Status(TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"
    UNPUBLISHED = "unpublished"


@dataclass(frozen=True)
class Placing:
    """Where an item stands: its status, and since (or from) when it is public."""

    status: str
    published_at: datetime | None


def place(*, current: Placing, status: str | None, published_at: datetime | None, now: datetime) -> Placing:
    """The standing an item gets when a status or a date, or neither, is sent; what is not sent is kept.

    Raises Invalid for a scheduled item without a date in the future, and a published one with one.
    """
    given = published_at is not None
    published_at = published_at or current.published_at
    in_future = published_at is not None and published_at > now
    if status is None and not given and current.status == Status.SCHEDULED and not in_future:
        # Its time has come, and the job that publishes it has not been by yet.
        return Placing(Status.PUBLISHED, published_at)
    status = status or current.status
    if status == Status.SCHEDULED and not in_future:
        raise Invalid({"published_at": "The published at must be a date in the future when the status is scheduled."})
    if status == Status.PUBLISHED:
        if in_future and given:
            raise Invalid({"published_at": "The published at must not be a date in the future when the status is published."})
        if in_future or published_at is None:
            published_at = now
    return Placing(status, published_at)


def slug_from(title: str, fallback: str) -> str:
    """A URL part made from a title in any script; the fallback where nothing is left of it."""
    slug = slugify(anyascii(title))[:MAX_SLUG].strip("-_")
    return slug or fallback


def check_slug(slug: str) -> str:
    """The slug itself, or Invalid."""
    if len(slug) > MAX_SLUG:
        raise Invalid({"slug": f"The slug may not be greater than {MAX_SLUG} characters."})
    if not _SLUG.fullmatch(slug):
        raise Invalid({"slug": "The slug may hold only lower-case letters, digits and single hyphens."})
    return slug
