"""Everything derived from an item's data on each write: terms, links, dates, search entry, cached JSON, counts."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson
from django.db import connection
from django.utils import timezone
from wagtail.models import ReferenceIndex, Revision
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.core.errors import Invalid, taken_message
from cms_api.core.writing import Conflict, Sql, execute_as_one, insert
from cms_api.fields.datetimes import read_stored, to_utc
from cms_api.flags.selectors import site_timezone
from cms_api.flags.services import notify
from cms_api.media.selectors import image_paths
from cms_api.text.entries import write_entries

from ..models import ContentItem, ItemLink, ItemTerm, ItemUnique
from ..resources.records import serialize_item
from ..selectors import item_tag, items_version, order_version, stored_terms
from ..types import LONG, Status

_TALLY = """
INSERT INTO content_tally (type_id, status, owned, total) VALUES {}
ON CONFLICT (type_id, status, owned) DO UPDATE SET total = content_tally.total + excluded.total
"""

_TAKEN = Conflict(("type_id", "key", "digest"))

Standing = tuple[int, str, bool]


@dataclass(frozen=True)
class Place:
    """The state of an item that determines which lists contain it, and in what order."""

    standing: Standing
    listed_at: datetime
    span: tuple[datetime | None, datetime | None]
    terms: tuple[int, ...]

    @property
    def is_public(self) -> bool:
        return self.standing[1] == Status.PUBLISHED


def place(item: ContentItem) -> Place:
    terms = tuple(row.term_id for row in item_terms(item))
    return Place(standing(item), item.listed_at, (item.starts_at, item.ends_at), terms)


def standing(item: ContentItem) -> Standing:
    """Return the key that an item is counted under: type, status and whether it is owned."""
    return item.type_id, str(item.status), item.owner_id is not None


def set_dates(item: ContentItem) -> None:
    """Set the UTC span of the type's date field: an instant if it has no end, whole days of the site if it is all-day."""
    value = date_value(item)
    item.starts_at, item.ends_at = span(value, site_timezone()) if value else (None, None)
    item.is_long = is_long(item)
    if item.ends_at is None or not (value and value.get("repeat")):
        item.lasts_until = item.ends_at
    else:
        # The module that expands the rule sets the exact value after the item is stored.
        item.lasts_until = max(item.lasts_until or item.ends_at, item.ends_at)


def is_long(item: ContentItem) -> bool:
    return item.starts_at is not None and item.ends_at is not None and item.ends_at - item.starts_at > LONG


def span(value: dict[str, Any], site: ZoneInfo) -> tuple[datetime | None, datetime | None]:
    """Return start and end of a stored datetime value, in UTC."""
    start, end = value["start"], value.get("end") or value["start"]
    try:
        if value.get("all_day"):
            first = datetime.combine(date.fromisoformat(start), time(), tzinfo=site)
            last = datetime.combine(date.fromisoformat(end) + timedelta(days=1), time(), tzinfo=site)
            return first.astimezone(UTC), last.astimezone(UTC)
        zone = ZoneInfo(value["tz"])
        return (
            to_utc(read_stored(value, "start"), zone),
            to_utc(read_stored(value, "end" if value.get("end") else "start"), zone),
        )
    except OverflowError:
        return None, None


def stand(item: ContentItem, revision: Revision) -> None:
    """Set the fields that Wagtail's admin reads, for an item whose latest revision is `revision`."""
    item.latest_revision = revision
    item.live_revision = revision if item.live else None
    item.has_unpublished_changes = not item.live
    if item.live:
        item.last_published_at = item.updated_at
        item.first_published_at = item.first_published_at or item.updated_at


def revision_of(item: ContentItem, user: Any) -> Revision:
    """Return an unsaved revision of a stored item."""
    kind = ContentItem.get_content_type()
    return Revision(
        content_type=kind,
        base_content_type=kind,
        object_id=str(item.pk),
        user=user,
        created_at=timezone.now(),
        content=item.serializable_data(),
        object_str=item.title,
    )


def cache_json(items: Sequence[ContentItem], pictures: Mapping[int, str] | None = None) -> None:
    """Set each item's cached JSON, unsaved. One statement reads the URLs of images that are not among `pictures`, by id."""
    paths = dict(pictures or {})
    paths |= image_paths({item.featured_media_id for item in items if item.featured_media_id} - paths.keys())
    for item in items:
        item.cached_json = serialize_item(item, featured_path=paths.get(item.featured_media_id or 0))
        item.cached_epoch = item.type.epoch


def project(item: ContentItem, *, new: bool) -> None:
    """Update links and unique values of a saved item, and terms unless it is new."""
    if not new:
        _sync_terms(item)
    sync_links(item, new=new)
    sync_unique_values(item, new=new)


def refresh(item: ContentItem) -> None:
    """Update everything that `project` does, and the search entry."""
    project(item, new=False)
    execute_as_one(search_entries([item]))


def search_entries(items: Sequence[ContentItem]) -> list[Sql]:
    """Return the statements that write the search entries of saved items; on SQLite, write them. Owned items have none."""
    found = [item for item in items if item.owner_id is None]
    if connection.vendor == "postgresql":
        return write_entries(found)
    if found:
        get_search_backend().add_bulk(ContentItem, found)
    return []


def item_terms(item: ContentItem) -> list[ItemTerm]:
    """Return unsaved rows for the terms in the item's data."""
    term_ids = dict.fromkeys(term_id for field in item.type.taxonomies for term_id in item.data.get(field.key) or ())
    return [
        ItemTerm(item=item, term_id=term_id, position=position, status=item.status, listed_at=item.listed_at)
        for position, term_id in enumerate(term_ids)
    ]


def _sync_terms(item: ContentItem) -> None:
    wanted = item_terms(item)
    if stored_terms(item) != [(row.term_id, row.status, row.listed_at) for row in wanted]:
        item.item_terms.all().delete()
        insert(wanted)


def sync_links(item: ContentItem, *, new: bool) -> None:
    if not item.type.relations:
        return
    values = (item.data.get(field.key) for field in item.type.relations)
    wanted = {target for value in values if value for target in (value if isinstance(value, list) else [value])}
    if not new:
        stored = set(item.links_out.values_list("target_id", flat=True))
        if stored == wanted:
            return
        item.links_out.filter(target_id__in=stored - wanted).delete()
        wanted -= stored
    insert([ItemLink(source=item, target_id=target) for target in sorted(wanted)])


def sync_unique_values(item: ContentItem, *, new: bool) -> None:
    if item.owner_id is not None:
        # Uniqueness is up to the owner of an owned item.
        return
    for field in item.type.schema:
        if not field.unique:
            continue
        value = item.data.get(field.key)
        if not new:
            ItemUnique.objects.filter(item=item, key=field.key).delete()
        if value in (None, "", [], {}):
            continue
        digest = hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
        if not insert([ItemUnique(item=item, type_id=item.type_id, key=field.key, digest=digest)], conflict=_TAKEN):
            raise Invalid({f"data.{field.key}": taken_message(field.key)})


def note_pictures(items: Iterable[ContentItem]) -> None:
    """Enter new items in Wagtail's reference index, which shows where a picture is used."""
    for item in items:
        if item.featured_media_id:
            ReferenceIndex.create_or_update_for_object(item)


def notify_saved(item: ContentItem, *, is_new: bool = False, is_moved: bool = True, former: Any = None) -> None:
    """Let other modules update what they derive from a stored item. Owned occurrences are left to their parent.

    `is_moved` says whether its date may have changed, and `former` is the value it had before, if known.
    """
    if item.owner_id is None:
        notify("content.item_saved", item, is_new, is_moved, former)


def date_value(item: ContentItem) -> Any:
    """Return the value of the item's date field; None if its type has none."""
    field = item.type.date_field
    return item.data.get(field.key) if field else None


def count(changes: Iterable[tuple[Standing, int]]) -> None:
    """Add to the counts."""
    execute_as_one(tallies(changes))


def tallies(changes: Iterable[tuple[Standing, int]]) -> list[Sql]:
    """Return the statement that adds to the counts, in the same order for every writer so that they cannot deadlock."""
    net: dict[Standing, int] = {}
    for where, by in changes:
        net[where] = net.get(where, 0) + by
    rows = [(*where, by) for where, by in sorted(net.items()) if by]
    if not rows:
        return []
    return [Sql(_TALLY.format(", ".join(["(%s, %s, %s, %s)"] * len(rows))), [value for row in rows for value in row])]


def invalidate(type_ids: Iterable[int], *, changed: Iterable[int] = (), reordered: bool = True) -> None:
    """Invalidate cached lists of the types, in processes and for clients, and the pages that show the changed items.

    `reordered` says whether public lists now contain different items, or in a different order.
    """
    kinds = (items_version, order_version) if reordered else (items_version,)
    versions.bump(*(name(type_id) for type_id in type_ids for name in kinds), tags=map(item_tag, changed))
