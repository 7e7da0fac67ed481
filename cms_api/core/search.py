"""Kept for the applied migration `media.0003`, which imports `fold` from here. Use `cms_api.text.search`."""

from cms_api.text.search import fold

__all__ = ["fold"]
