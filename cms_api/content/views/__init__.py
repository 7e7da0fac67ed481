"""Public pages of content types: requests (`pages`), and how fields, moments, pictures and metadata are shown on them."""

from .pages import detail_context, detail_template, item_detail, item_list, keep_page, term_archive

__all__ = ["detail_context", "detail_template", "item_detail", "item_list", "keep_page", "term_archive"]
