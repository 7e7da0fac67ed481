"""The kit for page rows: a module's `rows.py` uses it, and its declaration names the block in a `Row`."""

from .blocks import PROSE, WORDS, LinkBlock, PartsRowBlock, RecordBlock, RowBlock, alt_text, heading, is_safe_address, picture
from .slots import Slot, openai_size
from .texts import row_texts

__all__ = [
    "PROSE",
    "WORDS",
    "LinkBlock",
    "PartsRowBlock",
    "RecordBlock",
    "RowBlock",
    "Slot",
    "alt_text",
    "heading",
    "is_safe_address",
    "openai_size",
    "picture",
    "row_texts",
]
