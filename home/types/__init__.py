"""Pure rules: the slugs of rows, the theme's colours and fonts, and the order of headings."""

from .colours import Palette, Sample, contrast, drawing_colours, in_scheme, is_colour, palette, samples, theme_css
from .fonts import FONTS, NEW_SITE, SYSTEM, FontPair
from .headings import renumber_headings
from .row_slugs import RECORD, SHARED, new_row_slug

__all__ = [
    "FONTS",
    "NEW_SITE",
    "RECORD",
    "SHARED",
    "SYSTEM",
    "FontPair",
    "Palette",
    "Sample",
    "contrast",
    "drawing_colours",
    "in_scheme",
    "is_colour",
    "new_row_slug",
    "palette",
    "renumber_headings",
    "samples",
    "theme_css",
]
