"""Public pages of content types: requests (`pages`), and how fields, moments, pictures and metadata are shown on them."""

from .pages import (
    detail_context,
    detail_template,
    find_term,
    item_detail,
    item_list,
    keep_list,
    keep_page,
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
    "keep_page",
    "list_context",
    "list_template",
    "listing",
    "narrowed_to",
    "shown_item",
    "term_archive",
    "vocabularies",
]
