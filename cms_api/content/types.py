"""Item statuses and the rules that need no database."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from anyascii import anyascii
from django.db.models import TextChoices
from django.utils.text import slugify

from cms_api.core.errors import Invalid
from cms_api.core.identifiers import SLUG_OF_DIGITS, is_slug, with_letters

MAX_SLUG = 200

#: Longer spans have a separate index, so that calendars need not scan everything that began earlier.
LONG = timedelta(days=31)

#: Stored in place of an epoch: the item's JSON is built on every read and never cached.
MADE_WHEN_READ = 2**63 - 1

#: Placeholder in cached JSON for the site's base URL, which may change with the environment. A raw control character cannot
#: occur anywhere else, since JSON strings escape them.
BASE = b"\x01"

#: Key in an item's data, beside its fields, for details of the submitter. Shown only to users who may write.
ORIGIN = "_submission"


class Status(TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    SCHEDULED = "scheduled"
    UNPUBLISHED = "unpublished"


def public_status(published_at: datetime | None, *, now: datetime) -> str:
    """Return the status after publishing: scheduled if the date is in the future."""
    return Status.SCHEDULED if published_at is not None and published_at > now else Status.PUBLISHED


@dataclass(frozen=True)
class Placing:
    """The status of an item, and the date since or from which it is public."""

    status: str
    published_at: datetime | None


def place(*, current: Placing, status: str | None, published_at: datetime | None, now: datetime) -> Placing:
    """Return the new status and date, given the values sent; values that were not sent stay the same.

    Raises Invalid if a scheduled item has no future date, or a published item has one.
    """
    given = published_at is not None
    published_at = published_at or current.published_at
    in_future = published_at is not None and published_at > now
    if status is None and not given and current.status == Status.SCHEDULED and not in_future:
        # The date has passed, but the publishing job has not run yet.
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
    """Return a URL segment made from a title in any script, after the fallback if it has digits alone.

    The fallback stands alone if no usable characters remain.
    """
    slug = slugify(anyascii(title))[:MAX_SLUG].strip("-_")
    return with_letters(slug, fallback)[:MAX_SLUG] or fallback


def check_slug(slug: str) -> str:
    """Return the slug. Raises Invalid if it is not valid."""
    if len(slug) > MAX_SLUG:
        raise Invalid({"slug": f"The slug may not be greater than {MAX_SLUG} characters."})
    if not is_slug(slug):
        raise Invalid({"slug": "The slug may contain only lower-case letters, digits and single hyphens."})
    if slug.isdecimal():
        raise Invalid({"slug": SLUG_OF_DIGITS})
    return slug
