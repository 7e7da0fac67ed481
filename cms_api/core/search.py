"""The former place of `fold`: the landed migration `media.0003` imports it from here. Use `cms_api.text.search`."""

from cms_api.text.search import fold

__all__ = ["fold"]
