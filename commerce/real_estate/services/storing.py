"""Stores records of feeds as listings, many at once. The caller's transaction has the feed's lease.

Records that have not changed are not written, and the number of statements does not depend on how many there are.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.flags.selectors import site_timezone
from cms_api.text.search import forget
from commerce.common.services.slugs import derive_slug
from commerce.common.types import MAX_SLUG

from ..models import Feed, Property, PropertyPhoto
from ..types.listings import ON_MARKET, VERSION, HiddenReason, PropertyStatus, slug_text
from ..types.reso import Mapped
from .photos import move_photos, replace_photos

#: The columns of a known listing that are compared with its record.
_COMPARED = (
    *("listing_key", "slug", "status", "fingerprint", "address_key", "is_shown", "hidden_reason", "shows_address"),
    *("photos_changed_at", "activated_at", "modified_at", "created_at"),
)
#: Columns that stay as they are.
_FIXED = {"id", "feed", "listing_key", "created_at"}
_CHANGING = [field.name for field in Property._meta.concrete_fields if field.name not in _FIXED]
_FALLBACK = "listing"


@dataclass
class Stored:
    """How many listings were created, changed and so on."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    hidden: int = 0
    removed: int = 0


def store(feed: Feed, records: Iterable[Mapped]) -> Stored:
    """Create, change and remove the listings of records; of several with the same key, the last one counts."""
    now = timezone.now()
    given = list(records)
    wanted = {record.key: record for record in given}
    if not wanted:
        return Stored()
    rows = Property.objects.filter(feed=feed, listing_key__in=wanted).only("feed", *_COMPARED)
    known = {row.listing_key: row for row in rows}
    gone = [row for key, row in known.items() if wanted[key].is_removed]
    changed = [
        _build_changed(feed, known[key], record, now)
        for key, record in wanted.items()
        if key in known and not record.is_removed and record.fingerprint != known[key].fingerprint
    ]
    new = [_new(feed, record, now) for key, record in wanted.items() if key not in known and not record.is_removed]
    _set_slugs(feed, [*new, *(row for row in changed if not row.slug)])
    Property.objects.bulk_create(new)
    Property.objects.bulk_create(changed, update_conflicts=True, unique_fields=["feed", "listing_key"], update_fields=_CHANGING)
    for row in changed:
        row.pk = known[row.listing_key].pk
    _store_photos(feed, new, changed, known, wanted, now)
    move_photos([row.pk for row in changed if known[row.listing_key].shows_address and not row.shows_address], now)
    removed = _remove(gone)
    stored = Stored(
        created=len(new),
        updated=len(changed),
        # Also earlier records of the same key, and those of listings that are gone already.
        unchanged=len(given) - len(new) - len(changed) - removed,
        hidden=sum(not row.is_shown for row in [*new, *changed]),
        removed=removed,
    )
    if new or changed:
        get_search_backend().add_bulk(Property, [*new, *changed])
    touched = {row.address_key for row in [*new, *changed, *gone]} | {known[row.listing_key].address_key for row in changed}
    stored.hidden += _settle_relistings(feed, touched - {""}, now)
    if new or changed or gone:
        versions.bump(VERSION)
    return stored


def remove_properties(feed: Feed, ids: Collection[int]) -> int:
    """Remove listings that the feed no longer has; return how many."""
    rows = list(Property.objects.filter(feed=feed, pk__in=ids).only("feed", "address_key"))
    removed = _remove(rows)
    _settle_relistings(feed, {row.address_key for row in rows} - {""}, timezone.now())
    if removed:
        versions.bump(VERSION)
    return removed


def _new(feed: Feed, record: Mapped, now: datetime) -> Property:
    row = Property(feed=feed, listing_key=record.key, created_at=now)
    _assign(row, record, now)
    if row.is_shown and row.status == PropertyStatus.ACTIVE:
        row.activated_at = now
    return row


def _build_changed(feed: Feed, known: Property, record: Mapped, now: datetime) -> Property:
    """Return a known listing with the values of its record; without a slug if it needs another one."""
    row = Property(feed=feed, listing_key=known.listing_key, created_at=known.created_at)
    _assign(row, record, now)
    # A street in the slug would give the address away.
    row.slug = "" if known.shows_address and not row.shows_address else known.slug
    if record.modified_at is None:
        row.modified_at = now
    if not row.hidden_reason and row.address_key and known.hidden_reason == HiddenReason.RELISTED:
        # `_settle_relistings` decides.
        row.is_shown = row.is_on_market = False
        row.hidden_reason = HiddenReason.RELISTED
    was_active = known.is_shown and known.status == PropertyStatus.ACTIVE
    is_activated = row.is_shown and row.status == PropertyStatus.ACTIVE and not was_active
    row.activated_at = now if is_activated else known.activated_at
    return row


def _assign(row: Property, record: Mapped, now: datetime) -> None:
    for name, value in record.columns.items():
        setattr(row, name, value)
    row.is_shown = not row.hidden_reason
    row.is_on_market = row.is_shown and row.status in ON_MARKET
    row.fingerprint = record.fingerprint
    row.modified_at = record.modified_at or now
    row.listed_on = row.on_market_date or row.created_at.astimezone(site_timezone()).date()
    row.updated_at = now


def _set_slugs(feed: Feed, rows: Sequence[Property]) -> None:
    """Give listings slugs that no other listing has (one statement, unless somebody has made up what others would get)."""
    wanted = list(rows)
    for attempt in count(1):
        if not wanted:
            break
        choices = [(row, (_slug(row), _other_slug(feed, row, attempt))) for row in wanted]
        either = [slug for _, slugs in choices for slug in slugs]
        used = set(Property.objects.filter(slug__in=either).values_list("slug", flat=True))
        wanted = []
        for row, slugs in choices:
            row.slug = next((slug for slug in slugs if slug not in used), "")
            used.add(row.slug)
            if not row.slug:
                wanted.append(row)


def _other_slug(feed: Feed, row: Property, attempt: int) -> str:
    """Return another slug of a listing, whose end only its feed and key have."""
    end = hashlib.blake2b(f"{feed.pk} {row.listing_key} {attempt}".encode(), digest_size=8).hexdigest()
    return f"{_slug(row)[: MAX_SLUG - len(end) - 1].strip('-')}-{end}"


def _slug(row: Property) -> str:
    """Return the slug of a listing: of a long address the end with the key must stay."""
    place = derive_slug(slug_text(row.street, row.city, row.state, ""), _FALLBACK)
    key = derive_slug(row.listing_key, _FALLBACK)[:40]
    return f"{place[: MAX_SLUG - len(key) - 1].strip('-')}-{key}"


def _store_photos(
    feed: Feed,
    new: Sequence[Property],
    changed: Sequence[Property],
    known: Mapping[str, Property],
    wanted: Mapping[str, Mapped],
    now: datetime,
) -> None:
    given: dict[int, tuple[tuple[str, ...], bool]] = {}
    for row in [*new, *changed]:
        photos, before = wanted[row.listing_key].photos, known.get(row.listing_key)
        has_moved = before is None or row.photos_changed_at != before.photos_changed_at
        if photos is not None and (has_moved or row.photos_changed_at is None):
            given[row.pk] = photos, row.photos_changed_at is not None
    replace_photos(feed, given, now)


def _remove(rows: Sequence[Property]) -> int:
    """Delete listings. Their photos become former ones, which a job deletes from the library."""
    ids = [row.pk for row in rows]
    if not ids:
        return 0
    copied = PropertyPhoto.objects.filter(listing__in=ids, image__isnull=False)
    copied.update(listing=None, next_attempt_at=None)
    forget(Property, ids)
    Property.objects.filter(pk__in=ids).delete()
    return len(ids)


def _settle_relistings(feed: Feed, address_keys: Collection[str], now: datetime) -> int:
    """Hide former listings of places that were listed again; return how many were hidden (four statements).

    Those on the market are shown, also if there are several, such as the units of a building whose numbers the feed leaves out.
    """
    if not address_keys:
        return 0
    rows = Property.objects.filter(feed=feed, address_key__in=address_keys)
    names = ("pk", "address_key", "status", "listed_on", "modified_at", "is_shown", "hidden_reason")
    newest: dict[str, Any] = {}
    found = [row for row in rows.only(*names) if row.hidden_reason in ("", HiddenReason.RELISTED)]
    for row in sorted(found, key=_rank):
        newest[row.address_key] = row.pk
    keep = {row.pk for row in found if row.status in ON_MARKET or newest[row.address_key] == row.pk}
    hide = [row.pk for row in found if row.is_shown and row.pk not in keep]
    show = [row.pk for row in found if not row.is_shown and row.pk in keep]
    if hide:
        rows.filter(pk__in=hide).update(is_shown=False, is_on_market=False, hidden_reason=HiddenReason.RELISTED, updated_at=now)
    if show:
        rows.filter(pk__in=show).update(is_shown=True, hidden_reason="", updated_at=now)
        rows.filter(pk__in=show, status__in=ON_MARKET).update(is_on_market=True)
    return len(hide)


def _rank(row: Property) -> tuple[Any, ...]:
    """Return what the listings of a place are compared by: the greatest one has replaced those that are off the market."""
    return row.status in ON_MARKET, row.status != PropertyStatus.WITHDRAWN, row.listed_on, row.modified_at, row.pk
