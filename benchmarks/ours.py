"""Fills an empty installation of the project: `python -m benchmarks.ours COUNT` prints the token and the ids as JSON."""

import io
import json
import sys
from typing import Any

import django
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction

from benchmarks.dataset import CATEGORIES, IMAGES, Article, article, picture, published_at, settle

BATCH_ITEMS = 1000
#: So many items are created one by one; further ones are copies of them, which takes half the time.
ORIGINALS = 10_000
TYPE: dict[str, Any] = {
    "name": "Article",
    "name_plural": "Articles",
    "fields": [
        {"key": "title", "label": "Title", "type": "text", "required": True},
        {"key": "body", "label": "Body", "type": "richtext_tiptap"},
        {"key": "category", "label": "Category", "type": "taxonomy"},
        {"key": "event_date", "label": "Event date", "type": "datetime", "facet": True},
    ],
}


def seed(count: int) -> dict[str, Any]:
    for command in (["migrate"], ["setup_site"], ["feature", "on", "api"]):
        call_command(*command, verbosity=0, stdout=sys.stderr)
    images = add_images()
    first = seed_ours(count, images)
    settle()
    token = io.StringIO()
    call_command("create_token", "bench", "--all-abilities", stdout=token)
    return {"first": first, "images": images, "token": token.getvalue().strip()}


def seed_ours(count: int, images: list[int]) -> int:
    """Create the content type, its terms and `count` published items; return the id of the first item."""
    from cms_api.content.services.bulk import create_items
    from cms_api.content.services.types import save_term, save_type

    kind = save_type(slug="article", values=TYPE)
    for position, slug in enumerate(CATEGORIES):
        save_term(item_type=kind, taxonomy="category", name=slug.title(), slug=slug, position=position)
    kind.refresh_from_db()  # with each term a new epoch of the type began
    first = 0
    for start in range(0, count, BATCH_ITEMS):
        numbers = range(start, min(start + BATCH_ITEMS, count))
        if start < ORIGINALS:
            items = create_items(item_type=kind, rows=[values(article(number), images) for number in numbers])
            first = first or items[0].pk
        else:
            add_copies(kind, first + start % ORIGINALS, numbers)
    return first


@transaction.atomic
def add_copies(kind: Any, first: int, numbers: range) -> None:
    """Store copies of the items from the id `first` on, each with the title, slug and date of its number.

    Their revisions have no content, which only the admin reads. Everything else is stored as for other items.
    """
    from wagtail.models import Revision
    from wagtail.search.backends import get_search_backend

    from cms_api.content.models import ContentItem
    from cms_api.content.services import projections
    from cms_api.core.writing import insert, reserve_ids

    items = list(ContentItem.objects.filter(pk__gte=first).order_by("pk")[: len(numbers)])
    revisions = []
    ids = zip(reserve_ids(ContentItem, len(numbers)), reserve_ids(Revision, len(numbers)), strict=True)
    for item, number, (item_id, revision_id) in zip(items, numbers, ids, strict=True):
        item.pk, item.type, item.slug = item_id, kind, f"article-{number}"
        item.title = item.data["title"] = f"{item.title.rpartition(' ')[0]} {number}"
        item.published_at = item.listed_at = published_at(number)
        revision = projections.revision_of(item, None)
        revision.pk, revision.content = revision_id, {}
        projections.stand(item, revision)
        revisions.append(revision)
    projections.cache_json(items)
    insert(items)
    insert(revisions)
    insert([row for item in items for row in projections.item_terms(item)])
    projections.note_pictures(items)
    get_search_backend().add_bulk(ContentItem, items)
    projections.count((projections.standing(item), 1) for item in items)


def values(item: Article, images: list[int]) -> dict[str, Any]:
    return {
        "status": "published",
        "slug": item.slug,
        "excerpt": item.excerpt,
        "published_at": item.published_at,
        "featured_media_id": images[item.image - 1] if item.image else None,
        "data": {
            "title": item.title,
            "body": item.body,
            "category": [item.category],
            "event_date": {"start": item.event_start.isoformat(), "end": item.event_end.isoformat()},
        },
    }


def add_images() -> list[int]:
    from cms_api.media.models import MediaImage

    return [
        MediaImage.objects.create(title=f"Picture {number}", file=ContentFile(picture(number), name=f"picture-{number}.png")).pk
        for number in range(1, IMAGES + 1)
    ]


if __name__ == "__main__":
    django.setup()
    print(json.dumps(seed(int(sys.argv[1]))))
