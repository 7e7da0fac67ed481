"""The kit for page rows: a module's `rows.py` is made of this, and its declaration names the result as a `Row`."""

from .blocks import PROSE, WORDS, LinkBlock, PartsRowBlock, RowBlock, alt_text, heading, is_safe_address, picture
from .slots import Slot, openai_size

__all__ = [
    "PROSE",
    "WORDS",
    "LinkBlock",
    "PartsRowBlock",
    "RowBlock",
    "Slot",
    "alt_text",
    "heading",
    "is_safe_address",
    "openai_size",
    "picture",
]
