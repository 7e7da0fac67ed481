"""Slugs of records: they hold a character that is no digit, as numbers are ids."""

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any

from anyascii import anyascii
from django.db import IntegrityError, models, transaction
from django.utils.text import slugify

from cms_api.core.errors import Invalid, taken_message
from cms_api.core.identifiers import SLUG_OF_DIGITS, with_letters
from cms_api.core.records import log_saved

from ..types import MAX_SLUG

#: Attempts to find a slug that no concurrent transaction takes.
TRIES = 20


def check_slug(slug: str, reserved: Collection[str] = ()) -> str:
    """Return a slug that somebody chose. Raises Invalid."""
    if len(slug) > MAX_SLUG:
        raise Invalid({"slug": f"The slug may not be greater than {MAX_SLUG} characters."})
    if slugify(slug) != slug or not slug:
        raise Invalid({"slug": "The slug may contain only lower-case letters, digits, hyphens and underscores."})
    if slug.isdecimal():
        raise Invalid({"slug": SLUG_OF_DIGITS})
    if slug in reserved:
        raise Invalid({"slug": taken_message("slug")})
    return slug


def derive_slug(name: str, fallback: str) -> str:
    slug = slugify(anyascii(name))[: MAX_SLUG - 10].strip("-_")
    return with_letters(slug, fallback) or fallback


def store_with_slug(record: Any, values: Mapping[str, Any], fallback: str, *, user: Any, reserved: Collection[str] = ()) -> None:
    """Store a new record or a locked one with the `slug` of the values; a new one without gets one made from its name.

    Raises Invalid (`slug`).
    """
    is_new, slug = record.pk is None, str(values.get("slug") or "")
    if is_new:
        insert_with_slug(record, slug, fallback, reserved)
    else:
        update_with_slug(record, slug, reserved)
    log_saved(record, is_new=is_new, user=user)


def insert_with_slug(record: Any, slug: str, fallback: str, reserved: Collection[str] = ()) -> None:
    """Insert a record with the slug that was chosen, or with a free one made from its name. Raises Invalid (`slug`).

    `reserved` are the slugs that no record may have, as other pages have their paths.
    """
    chosen = bool(slug)
    record.slug = base = check_slug(slug, reserved) if chosen else derive_slug(record.name, fallback)
    if base in reserved:
        record.slug = _free_slug(type(record), base)
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                record.save(force_insert=True)
            return
        except IntegrityError:
            record.pk = None
            if chosen:
                break
            record.slug = _free_slug(type(record), base)
    raise Invalid({"slug": taken_message("slug")})


def update_with_slug(record: Any, slug: str, reserved: Collection[str] = ()) -> None:
    """Store a record, with another slug if one was chosen. Raises Invalid (`slug`)."""
    if slug and slug != record.slug:
        record.slug = check_slug(slug, reserved)
    try:
        with transaction.atomic():
            record.save(force_update=True)
    except IntegrityError:
        raise Invalid({"slug": taken_message("slug")}) from None


def _free_slug(model: type[models.Model], base: str) -> str:
    used = set(model._default_manager.filter(slug__startswith=f"{base}-").values_list("slug", flat=True))
    return next(slug for number in count(2) if (slug := f"{base}-{number}") not in used)
