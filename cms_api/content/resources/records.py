"""API records of types, terms and items. An item's JSON is cached when it is written, and spliced into responses unchanged."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import orjson
from django.conf import settings

from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.http import wire

from ..models import ContentItem, ContentType, Term
from ..selectors import terms_by_id
from ..types import BASE, ORIGIN

#: Text cannot contain this key, since quotes inside JSON strings are escaped.
ORIGIN_KEY = f'"{ORIGIN}":'.encode()

#: Increment when the cached JSON changes shape, to invalidate clients' ETags and stored JSON.
FORMAT = "2"


def term_record(term: Term) -> dict[str, Any]:
    return {"id": term.pk, "name": term.name, "slug": term.slug}


def type_record(item_type: ContentType, *, item_count: int) -> dict[str, Any]:
    return {
        "id": item_type.pk,
        "slug": item_type.slug,
        "name": item_type.name,
        "name_plural": item_type.name_plural,
        "description": item_type.description,
        "icon": item_type.icon,
        "is_system": item_type.is_system,
        "schema_type": item_type.schema_type or None,
        "has_detail": item_type.has_detail,
        "excerpt_enabled": item_type.excerpt_enabled,
        "comments_enabled": item_type.comments_enabled,
        "index_layout": layout(item_type, "index"),
        "detail_layout": layout(item_type, "detail"),
        "fields": [field.as_dict() for field in item_type.schema],
        "taxonomies": [taxonomy_record(field) for field in item_type.taxonomies],
        "item_count": item_count,
    }


def taxonomy_record(field: Field) -> dict[str, Any]:
    return {"key": field.key, "label": field.label, "multiple": field.multiple, "hierarchical": field.hierarchical}


def layout(item_type: ContentType, kind: str) -> str:
    """Return the layout of a type's `index` or `detail` page: the one in the settings, else the type's own."""
    chosen = get_setting(f"{kind}_layout.default.{item_type.slug}")
    return str(chosen or getattr(item_type, f"{kind}_layout"))


def item_record(item: ContentItem, *, featured_path: str | None) -> dict[str, Any]:
    """Return an item with BASE in place of the site's URL; `featured_path` is the site-relative URL of its picture."""
    item_type = item.type
    context = Context(timezone=site_timezone())
    record: dict[str, Any] = {
        "id": item.pk,
        "type": item_type.slug,
        "title": item.title,
        "slug": item.slug,
        "excerpt": item.excerpt,
        "status": str(item.status),
        "published_at": wire.instant(item.published_at),
    }
    if item_type.has_detail:
        record["url"] = _absolute(f"/{item_type.slug}/{item.slug}")
    terms = terms_by_id()
    return {
        **record,
        "featured_media_id": item.featured_media_id,
        "featured_image": _absolute(featured_path) if featured_path else None,
        "meta_title": item.meta_title,
        "meta_description": item.meta_description,
        "fields": {
            field.key: _serialize(field, item.data.get(field.key), context)
            for field in item_type.schema
            if field.type != "taxonomy"
        }
        | ({ORIGIN: item.data[ORIGIN]} if ORIGIN in item.data else {}),
        "terms": {
            field.key: [term_record(terms[term_id]) for term_id in item.data.get(field.key) or () if term_id in terms]
            for field in item_type.taxonomies
        },
        "owner_id": item.owner_id,
        "created_at": wire.instant(item.created_at),
        "updated_at": wire.instant(item.updated_at),
    }


def _serialize(field: Field, value: Any, context: Context) -> Any:
    return None if value is None else FIELD_TYPES[field.type].serialize(field, value, context)


def _absolute(path: str) -> orjson.Fragment:
    return orjson.Fragment(b'"' + BASE + quote(path, safe="/%?=&").encode() + b'"')


def serialize_item(item: ContentItem, *, featured_path: str | None) -> bytes:
    """Return the item's JSON as it is stored."""
    return wire.dump(item_record(item, featured_path=featured_path))


def finish(cached: bytes, *, with_origin: bool = False) -> bytes:
    """Return stored JSON as it is sent. Details of the submitter are only included for users who may write."""
    sent = cached.replace(BASE, settings.BASE_URL.encode())
    return sent if with_origin else _without_origin(sent)


def finish_all(cached: Iterable[bytes], *, with_origin: bool = False) -> list[wire.Record]:
    """Return stored JSON of several items as `finish` does."""
    origin = settings.BASE_URL.encode()
    sent = [each.replace(BASE, origin) for each in cached]
    return [each if with_origin else _without_origin(each) for each in sent]


def _without_origin(sent: bytes) -> bytes:
    if ORIGIN_KEY not in sent:
        return sent
    record = orjson.loads(sent)
    del record["fields"][ORIGIN]
    return wire.dump(record)


def whole_record(item: ContentItem, *, featured_path: str | None) -> Mapping[str, Any]:
    """Return the item as the API does, as a dict."""
    record: Mapping[str, Any] = orjson.loads(finish(serialize_item(item, featured_path=featured_path)))
    return record


def validators() -> tuple[str, ...]:
    """Return what an item's JSON depends on besides its data: the site's URL and the format version."""
    return settings.BASE_URL, FORMAT


def event_payload(item: ContentItem) -> bytes:
    """Return an item as its GET would now, from the JSON cached by the write that emits the event."""
    return finish(bytes(item.cached_json))
