"""The base of models whose records are found by their words."""

from typing import Any, ClassVar

from wagtail.search import index


class IndexedText(index.Indexed):
    """A record that is found by the words of its `search_text`. Services write its entry of the index, never a signal."""

    search_auto_update = False
    search_fields: ClassVar[list[Any]] = [index.AutocompleteField("search_text")]
