"""Demo content: the site of a small arts centre, with items in every status and fields of every type.

Records are recognised by slug (pictures by title), so that loading again only adds what is missing.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.utils import timezone

from cms_api.core import versions

from ..models import ContentItem, ContentType, Term
from ..selectors import all_types, vocabulary
from ..services.builtin import create as create_builtin_types
from ..services.bulk import create_items
from ..services.items import create_item
from ..services.types import save_term, save_type
from ..types import Status
from . import library, offerings, posts, showcase

#: Additional posts per unit of scale, and the number created per transaction.
BULK_POSTS = 200
BATCH_POSTS = 100

FAR_FUTURE = datetime(2099, 1, 1, 9, tzinfo=UTC)

TERMS: dict[str, dict[str, Sequence[str]]] = {
    "blog-post": {"category": posts.CATEGORIES, "tags": posts.TAGS},
    "service": {"category": offerings.SERVICE_CATEGORIES},
    "projects": {"category": offerings.PROJECT_CATEGORIES},
    "showcase": {"features": showcase.FEATURES},
}

Row = Mapping[str, Any]


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the demo content. `progress` is called as bulk posts are created."""
    versions.forget()
    create_builtin_types()
    if "showcase" not in all_types():
        save_type(slug="showcase", values=showcase.TYPE)
    for slug, taxonomies in TERMS.items():
        _make_terms(all_types()[slug], taxonomies)
    media = library.stock()
    _make_items("blog-post", [*posts.PUBLISHED, *posts.UNPUBLISHED], media)
    _make_items("service", offerings.SERVICES, media)
    _make_items("projects", offerings.PROJECTS, media, relations={"services": "service"})
    _make_items("showcase", showcase.items(media), media, relations={"related_service": "service", "related_posts": "blog-post"})
    _make_bulk((scale - 1) * BULK_POSTS, progress)


def _make_terms(item_type: ContentType, taxonomies: Mapping[str, Sequence[str]]) -> None:
    for taxonomy, names in taxonomies.items():
        existing: set[str] = {term.name for term in vocabulary(item_type.pk).get(taxonomy, ())}
        for position, name in enumerate(names):
            if name not in existing and not Term.objects.filter(type=item_type, taxonomy=taxonomy, name=name).exists():
                save_term(item_type=item_type, taxonomy=taxonomy, name=name, position=position)


def _make_items(type_slug: str, rows: Sequence[Row], media: library.Stock, relations: Mapping[str, str] | None = None) -> None:
    item_type = all_types()[type_slug]
    existing = set(ContentItem.objects.filter(type=item_type).values_list("slug", flat=True))
    for row in rows:
        if row["slug"] not in existing:
            create_item(item_type=item_type, values=_values(row, media, relations or {}))


def _values(row: Row, media: library.Stock, relations: Mapping[str, str]) -> dict[str, Any]:
    """Convert a row for `create_item`: `days_ago` to a date, the picture's name to an id, slugs of related items to ids."""
    data = dict(row["data"])
    for key, target_type in relations.items():
        if key in data:
            data[key] = _ids(target_type, data[key])
    values = {key: value for key, value in row.items() if key not in {"data", "days_ago", "picture"}}
    values |= {"data": data, "status": row.get("status", Status.PUBLISHED)}
    if row.get("status") == Status.SCHEDULED:
        values["published_at"] = FAR_FUTURE
    elif "days_ago" in row:
        values["published_at"] = days_ago(row["days_ago"])
    if "picture" in row:
        values["featured_media_id"] = media.images[row["picture"]].pk
    return values


def _ids(type_slug: str, slugs: str | Sequence[str]) -> int | list[int]:
    known = dict(ContentItem.objects.filter(type__slug=type_slug).values_list("slug", "pk"))
    return known[slugs] if isinstance(slugs, str) else [known[slug] for slug in slugs]


def days_ago(days: int) -> datetime:
    """Return nine in the morning, the given number of days ago."""
    day = timezone.localdate() - timedelta(days=days)
    return timezone.make_aware(datetime.combine(day, time(9)))


def _make_bulk(wanted: int, progress: Callable[[int], None]) -> None:
    item_type = all_types()["blog-post"]
    existing = set(ContentItem.objects.filter(type=item_type, slug__startswith=posts.BULK_PREFIX).values_list("slug", flat=True))
    missing = [number for number in range(1, wanted + 1) if posts.bulk_slug(number) not in existing]
    for start in range(0, len(missing), BATCH_POSTS):
        batch = missing[start : start + BATCH_POSTS]
        rows = [{**posts.bulk_post(number), "published_at": days_ago(400 + number // 3)} for number in batch]
        create_items(item_type=item_type, rows=[{**row, "status": Status.PUBLISHED} for row in rows])
        progress(len(batch))
