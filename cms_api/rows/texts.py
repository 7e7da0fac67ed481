"""The texts in a stored row, for the search: read from its JSON, so that no page, image or record that it refers to is loaded."""

from collections.abc import Iterator, Mapping
from typing import Any

from wagtail import blocks

from cms_api.text.html import strip_tags

#: Fields whose text is no text for readers.
ADDRESSES = frozenset({"url"})


def row_texts(block: blocks.Block, stored: Any) -> Iterator[str]:
    """Yield the texts of a stored value of a block as readers see them."""
    if isinstance(block, blocks.RichTextBlock):
        yield strip_tags(stored) if isinstance(stored, str) else ""
    elif isinstance(block, blocks.CharBlock | blocks.TextBlock):
        yield stored if isinstance(stored, str) else ""
    elif isinstance(block, blocks.StructBlock):
        values = stored if isinstance(stored, Mapping) else {}
        for name, child in block.child_blocks.items():
            if name not in ADDRESSES:
                yield from row_texts(child, values.get(name))
    elif isinstance(block, blocks.ListBlock):
        for part in stored or ():
            yield from row_texts(block.child_block, part["value"] if isinstance(part, Mapping) and "value" in part else part)
