"""The built-in content types."""

from typing import Any

from .types import create_builtin_types


def _field(key: str, label: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "label": label, "type": kind, **more}


TITLE = _field("title", "Title", "text", required=True)

BUILTIN: list[dict[str, Any]] = [
    {
        "slug": "blog-post",
        "values": {
            "name": "Blog post",
            "name_plural": "Blog",
            "description": "News and stories.",
            "icon": "edit",
            "schema_type": "BlogPosting",
            "index_layout": "content-list",
            "fields": [
                TITLE,
                _field("body", "Body", "richtext_tiptap"),
                _field("author", "Author", "text"),
                _field("category", "Category", "taxonomy", multiple=True),
                _field("tags", "Tags", "taxonomy", multiple=True),
            ],
        },
    },
    {
        "slug": "service",
        "values": {
            "name": "Service",
            "name_plural": "Services",
            "description": "Our services.",
            "icon": "tick-inverse",
            "schema_type": "Service",
            "index_layout": "content-grid",
            "fields": [
                TITLE,
                _field("summary", "Summary", "textarea"),
                _field("description", "Description", "richtext_tiptap"),
                _field("price", "Price", "text", help_text="Shown to visitors, for example “from €40”."),
                _field("duration", "Duration", "text"),
                _field("gallery", "Gallery", "gallery"),
                _field("category", "Category", "taxonomy", multiple=True),
            ],
        },
    },
    {
        "slug": "projects",
        "values": {
            "name": "Project",
            "name_plural": "Projects",
            "description": "A selection of our work.",
            "icon": "folder-open-inverse",
            "schema_type": "CreativeWork",
            "index_layout": "content-grid",
            "fields": [
                TITLE,
                _field("client", "Client", "text"),
                _field("completed_on", "Completed on", "date"),
                _field("website", "Website", "url"),
                _field("description", "Description", "richtext_tiptap"),
                _field("gallery", "Gallery", "gallery"),
                _field("services", "Services", "relation", multiple=True),
                _field("category", "Category", "taxonomy", multiple=True),
            ],
        },
    },
]


def create() -> None:
    create_builtin_types(BUILTIN)
