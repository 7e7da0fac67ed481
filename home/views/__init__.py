"""The context of pages: their rows and their metadata."""

from .pages import latest_sections, page_context, preview_record
from .rows import ShownRow, present_rows

__all__ = ["ShownRow", "latest_sections", "page_context", "present_rows", "preview_record"]
