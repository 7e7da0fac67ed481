"""Pure rules: the slugs of rows, the theme's colours, and the order of headings."""

from .colours import Palette, contrast, is_colour, palette, theme_css
from .headings import renumber_headings
from .row_slugs import RECORD, SHARED, SITE_SLUGS, new_row_slug

__all__ = [
    "RECORD",
    "SHARED",
    "SITE_SLUGS",
    "Palette",
    "contrast",
    "is_colour",
    "new_row_slug",
    "palette",
    "renumber_headings",
    "theme_css",
]
