"""Payload, set up as its documentation says, with the same articles. `project/` is installed and built in `var/peers/payload`."""

from typing import Any

from benchmarks.dataset import Article


def fields_of(item: Article) -> dict[str, Any]:
    """Return a published article's fields as Payload names them, with the name of the category and the number of the image."""
    return {
        "_status": "published",
        "title": item.title,
        "slug": item.slug,
        "excerpt": item.excerpt,
        "body": item.body,
        "category": item.category,
        "image": item.image,
        "eventStart": item.event_start.isoformat(),
        "eventEnd": item.event_end.isoformat(),
        "publishedAt": item.published_at.isoformat(),
    }
