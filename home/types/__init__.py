"""Pure rules: places for pictures and the names of rows, what becomes of picked colours, and the order of headings."""

from .colours import Palette, contrast, is_colour, look_css, palette
from .headings import renumber_headings
from .slots import Slot, new_row_slug, openai_size

__all__ = ["Palette", "Slot", "contrast", "is_colour", "look_css", "new_row_slug", "openai_size", "palette", "renumber_headings"]
