"""Public pages of content types. Presentation of items is in `resources`, shared with feeds and other modules."""

from .pages import (
    detail_context,
    detail_template,
    find_term,
    item_detail,
    item_list,
    keep_list,
    list_context,
    list_template,
    listing,
    narrowed_to,
    shown_item,
    term_archive,
    vocabularies,
)

__all__ = [
    "detail_context",
    "detail_template",
    "find_term",
    "item_detail",
    "item_list",
    "keep_list",
    "list_context",
    "list_template",
    "listing",
    "narrowed_to",
    "shown_item",
    "term_archive",
    "vocabularies",
]
