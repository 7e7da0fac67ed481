"""The context of pages: their rows and their metadata."""

from .pages import page_context, preview_record
from .rows import ShownRow, present_rows

__all__ = ["ShownRow", "page_context", "present_rows", "preview_record"]
