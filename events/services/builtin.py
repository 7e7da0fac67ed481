"""The content type of events."""

from typing import Any

from cms_api.content.services.types import create_builtin_types

EVENTS: dict[str, Any] = {
    "slug": "events",
    "feature": "events",
    "values": {
        "name": "Event",
        "name_plural": "Events",
        "description": "What's on",
        "icon": "calendar-alt",
        "schema_type": "Event",
        "excerpt_enabled": True,
        "comments_enabled": True,
        "index_layout": "content-calendar-month",
        "detail_layout": "event-detail",
        "fields": [
            {"key": "title", "label": "Title", "type": "text", "required": True},
            {"key": "subtitle", "label": "Subtitle", "type": "text"},
            {"key": "event_date", "label": "Event Date", "type": "datetime", "facet": True},
            {"key": "venue", "label": "Venue", "type": "text"},
            {"key": "venue_address", "label": "Venue Address", "type": "address"},
            {"key": "cost", "label": "Cost", "type": "text"},
            {"key": "website_url", "label": "Website URL", "type": "text"},
            {"key": "details", "label": "Details", "type": "richtext_tiptap"},
            {"key": "category", "label": "Category", "type": "taxonomy", "multiple": True},
        ],
    },
}


def create() -> None:
    create_builtin_types([EVENTS])
