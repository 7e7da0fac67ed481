"""An article as each server's API takes it, to create or update it and publish it at once."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from .dataset import Article
from .payload import fields_of
from .servers import Server

Content = Callable[[Server, Article], dict[str, Any]]


def image_of(server: Server, item: Article) -> Any:
    return server.facts["images"][item.image - 1] if item.image else None


def v3_content(server: Server, item: Article) -> dict[str, Any]:
    return {
        "meta": {"type": "rival.ArticlePage", "parent_id": server.facts["parent"], "action": "publish"},
        "title": item.title,
        "slug": item.slug,
        "excerpt": item.excerpt,
        "body": item.body,
        "category_id": server.facts["categories"][item.category],
        "featured_image_id": image_of(server, item),
        "event_start": item.event_start.isoformat(),
        "event_end": item.event_end.isoformat(),
    }


def v3_update(server: Server, item: Article) -> dict[str, Any]:
    return {**v3_content(server, item), "meta": {"action": "publish"}}


def payload_content(server: Server, item: Article) -> dict[str, Any]:
    category = server.facts["categories"][item.category]
    return {**fields_of(item), "category": category, "image": image_of(server, item)}


def floor_content(_: Server, item: Article) -> dict[str, Any]:
    content = asdict(item)
    del content["number"]
    return {name: value if isinstance(value, int | None) else str(value) for name, value in content.items()}


def our_content(server: Server, item: Article) -> dict[str, Any]:
    return {"type": "article", "status": "published", **our_update(server, item)}


def our_update(server: Server, item: Article) -> dict[str, Any]:
    return {
        "slug": item.slug,
        "excerpt": item.excerpt,
        "featured_media_id": image_of(server, item),
        "data": {
            "title": item.title,
            "body": item.body,
            "category": [item.category],
            "event_date": {"start": item.event_start.isoformat(), "end": item.event_end.isoformat()},
        },
    }
