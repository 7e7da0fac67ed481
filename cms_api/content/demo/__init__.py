"""Demo content: the site of a small arts centre, with items in every status and fields of every type.

Records are recognised by slug (pictures by title), so that loading again only adds what is missing.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.utils import timezone

from cms_api.core import versions
from cms_api.core.demo import data_beside, date_text, missing, pick

from ..models import ContentItem, ContentType, Term
from ..selectors import all_types, vocabulary
from ..services.builtin import create as create_builtin_types
from ..services.bulk import create_items
from ..services.items import create_item
from ..services.types import save_term, save_type
from ..types import Status
from . import library

#: Additional posts per unit of scale, and the number created per transaction.
BULK_POSTS = 200
BATCH_POSTS = 100
BULK_PREFIX = "notebook-"

FAR_FUTURE = datetime(2099, 1, 1, 9, tzinfo=UTC)

#: The terms and items of content types.
DATA: Mapping[str, Any] = {
    "blog-post": data_beside(__file__, "posts.yaml"),
    "service": data_beside(__file__, "services.yaml"),
    "projects": data_beside(__file__, "projects.yaml"),
    "showcase": data_beside(__file__, "showcase.yaml"),
}
#: Fields whose values are slugs of other items, and the types of these.
RELATIONS = {"services": "service", "related_service": "service", "related_posts": "blog-post"}


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the demo content. `progress` is called as bulk posts are created."""
    versions.forget()
    create_builtin_types()
    if "showcase" not in all_types():
        save_type(slug="showcase", values=DATA["showcase"]["type"])
    for slug, data in DATA.items():
        _make_terms(all_types()[slug], data["terms"])
    media = library.stock()
    for slug, data in DATA.items():
        item_type = all_types()[slug]
        for _, row in missing(data["items"], ContentItem.objects.filter(type=item_type), "slug"):
            create_item(item_type=item_type, values=_values(row, media))
    _make_bulk((scale - 1) * BULK_POSTS, progress)


def _make_terms(item_type: ContentType, taxonomies: Mapping[str, list[str]]) -> None:
    for taxonomy, names in taxonomies.items():
        existing: set[str] = {term.name for term in vocabulary(item_type.pk).get(taxonomy, ())}
        for position, name in enumerate(names):
            if name not in existing and not Term.objects.filter(type=item_type, taxonomy=taxonomy, name=name).exists():
                save_term(item_type=item_type, taxonomy=taxonomy, name=name, position=position)


def _values(row: Mapping[str, Any], media: library.Stock) -> dict[str, Any]:
    """Convert a row for `create_item`."""
    values = {"status": Status.PUBLISHED, **row, "data": _data(row["data"], media)}
    if values["status"] == Status.SCHEDULED:
        values["published_at"] = FAR_FUTURE
    if "days_ago" in row:
        values["published_at"] = days_ago(values.pop("days_ago"))
    if "picture" in row:
        values["featured_media_id"] = media.images[values.pop("picture")].pk
    return values


def _data(given: Mapping[str, Any], media: library.Stock) -> dict[str, Any]:
    """Convert the slugs of related items to ids, names of media to paths, and days from Monday of this week to dates."""
    data = dict(given)
    for key, type_slug in RELATIONS.items():
        if key in data:
            data[key] = _ids(type_slug, data[key])
    if "gallery" in data:
        data["plan"], data["gallery"] = media.path(data["plan"]), [media.path(name) for name in data["gallery"]]
        data["document"] = media.document
    if "next_viewing" in data:
        today = timezone.now().date()
        monday = today - timedelta(days=today.weekday())
        data["next_viewing"] = data["next_viewing"] | {
            end: date_text(monday, **data["next_viewing"][end]) for end in ("start", "end")
        }
    return data


def _ids(type_slug: str, slugs: str | list[str]) -> int | list[int]:
    known = dict(ContentItem.objects.filter(type__slug=type_slug).values_list("slug", "pk"))
    return known[slugs] if isinstance(slugs, str) else [known[slug] for slug in slugs]


def days_ago(days: int) -> datetime:
    """Return nine in the morning, the given number of days ago."""
    day = timezone.localdate() - timedelta(days=days)
    return timezone.make_aware(datetime.combine(day, time(9)))


def _make_bulk(wanted: int, progress: Callable[[int], None]) -> None:
    item_type = all_types()["blog-post"]
    rows = [_bulk_post(number) for number in range(1, wanted + 1)]
    rows = [row for _, row in missing(rows, ContentItem.objects.filter(type=item_type), "slug")]
    for start in range(0, len(rows), BATCH_POSTS):
        batch = rows[start : start + BATCH_POSTS]
        create_items(item_type=item_type, rows=batch)
        progress(len(batch))


def _bulk_post(number: int) -> dict[str, Any]:
    """Return one of any number of additional posts."""
    bulk = DATA["blog-post"]["bulk"]
    room, author = pick(bulk["rooms"], number), pick(bulk["authors"], number)
    title = pick(bulk["titles"], number // len(bulk["rooms"]))
    return {
        "slug": f"{BULK_PREFIX}{number:06}",
        "status": Status.PUBLISHED,
        "published_at": days_ago(400 + number // 3),
        "excerpt": f"From the notebook, page {number}: what happened in the {room} this week.",
        "data": {
            "title": f"{title} the {room} (notebook {number})",
            "body": f"<p>Page {number} of the notebook in the {room}. The last person to leave writes down what was made, "
            f"broken and mended.</p><p>This week that was {author.split()[0]}, and little was broken.</p>",
            "author": author,
            "category": ["behind-the-scenes" if number % 2 else "community"],
            "tags": [["the-building", "volunteering", "textiles"][number % 3]],
        },
    }
