"""Items with only the keys that `fields` asks for: columns, and what is cut out of the stored JSON without parsing it."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any

import orjson
from django.conf import settings

from cms_api.http.instants import from_text
from cms_api.http.wire import Record

from ..models import ContentType
from ..selectors import CACHED_COLUMNS, types_by_id
from ..types import BASE
from .records import ORIGIN_KEY, finish

#: The column of each key, in the order of an item's keys. The values of some are replaced afterwards.
_COLUMNS = {
    "id": "id",
    "type": "type_id",
    "title": "title",
    "slug": "slug",
    "excerpt": "excerpt",
    "status": "status",
    "published_at": "published_at__as_text",
    "url": "slug",
    "featured_media_id": "featured_media_id",
    "featured_image": "type_id",
    "meta_title": "meta_title",
    "meta_description": "meta_description",
    "fields": "type_id",
    "terms": "type_id",
    "owner_id": "owner_id",
    "created_at": "created_at__as_text",
    "updated_at": "updated_at__as_text",
}
KEYS = frozenset(_COLUMNS)
#: Keys that are taken from the stored JSON.
STORED = frozenset({"featured_image", "fields", "terms"})
#: Keys that depend on the type of an item.
_TYPED = frozenset({"type", "url"})
_INSTANTS = frozenset(key for key, column in _COLUMNS.items() if column.endswith("__as_text"))

_PICTURE, _FIELDS, _TERMS = b',"featured_image":', b',"fields":', b',"terms":'


@lru_cache(maxsize=100)
def _keys(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(key for key in _COLUMNS if key in names)


@lru_cache(maxsize=100)
def columns(names: frozenset[str]) -> tuple[str, ...]:
    """Return the columns for these of KEYS, but the id. CACHED_COLUMNS come last, if some are among STORED."""
    own = [_COLUMNS[key] for key in _keys(names)[1:]]
    return (*own, *(CACHED_COLUMNS if names & STORED else CACHED_COLUMNS[:1] if names & _TYPED else ()))


def width(names: frozenset[str]) -> int:
    """Return the number of the first columns of rows, with the id, that these keys are made of."""
    return len(_keys(names))


def records(rows: Sequence[Any], names: frozenset[str], *, stored: Sequence[bytes], with_origin: bool) -> list[Record]:
    """Return these keys, of which the id is one, of the items of rows with `columns`.

    `stored` is the JSON of each if some are among STORED.
    """
    keys = _keys(names)
    # The rest of the columns has no keys.
    found = list(map(dict, map(zip, repeat(keys), rows)))
    for name in names & _INSTANTS:
        for record in found:
            record[name] = from_text(record[name])
    types = types_by_id() if names & _TYPED else {}
    if "type" in names:
        for record in found:
            record["type"] = types[record["type"]].slug
    if "url" in names:
        for record, row in zip(found, rows, strict=True):
            _complete_url(record, types[row[len(keys)]])
    for record, cached in zip(found, stored, strict=bool(stored)):
        record.update(_cut(cached, names & STORED, with_origin=with_origin))
    return list(found)


def _complete_url(record: dict[str, Any], item_type: ContentType) -> None:
    """Make the slug an address; items without pages have none."""
    if item_type.has_detail:
        record["url"] = f"{settings.BASE_URL}/{item_type.slug}/{record['url']}"
    else:
        del record["url"]


def _cut(cached: bytes, names: frozenset[str], *, with_origin: bool) -> dict[str, Any]:
    """Return these of STORED. Quotes inside texts are escaped, so that no text contains a key."""
    picture, fields, end = cached.index(_PICTURE), cached.index(_FIELDS), cached.rindex(b',"owner_id":')
    terms = cached.index(_TERMS, fields)
    # A field may be named `terms`, too.
    if cached.find(_TERMS, terms + 1, end) > 0 or (ORIGIN_KEY in cached and not with_origin):
        whole = orjson.loads(finish(cached, with_origin=with_origin))
        return {name: whole[name] for name in names}
    spans = {
        "featured_image": slice(picture + len(_PICTURE), cached.index(b',"meta_title":', picture)),
        "fields": slice(fields + len(_FIELDS), terms),
        "terms": slice(terms + len(_TERMS), end),
    }
    origin = settings.BASE_URL.encode()
    return {name: orjson.Fragment(cached[spans[name]].replace(BASE, origin)) for name in names}
