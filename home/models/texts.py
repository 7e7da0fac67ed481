"""The text of pages, for the search: title and introduction, and the rows that are always shown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cms_api.core import registry
from cms_api.rows import row_texts
from cms_api.text.excerpts import join_texts
from cms_api.text.html import strip_tags

from ..types import SHARED
from .rows import SharedRow


def texts_of(pages: Sequence[Any]) -> dict[int, str]:
    """Return the text of each page below its title, by the page's id (one statement, for shared rows)."""
    rows = {page.pk: list(_find_kept(page.rows)) for page in pages}
    embedded = {stored["value"].get("row") for each in rows.values() for _, stored in each if stored["type"] == SHARED}
    shared = SharedRow.objects.in_bulk(embedded - {None}) if embedded else {}
    found = {}
    for page in pages:
        parts = [strip_tags(getattr(page, "introduction", "")), *_texts(rows[page.pk], shared), page.search_description]
        found[page.pk] = join_texts(parts)
    return found


def _texts(rows: Iterable[tuple[Any, Any]], shared: dict[int, SharedRow]) -> Iterator[str]:
    for block, stored in rows:
        if stored["type"] != SHARED:
            yield from row_texts(block, stored["value"])
        elif (row := shared.get(stored["value"].get("row"))) is not None:
            yield from _texts(_find_kept(row.rows), {})


def _find_kept(rows: Any) -> Iterator[tuple[Any, Any]]:
    """Yield block and stored form of rows. Those of modules that can be switched off have little text, and come and go."""
    declared = registry.rows()
    for stored in rows.raw_data:
        block = rows.stream_block.child_blocks.get(stored["type"])
        if block is not None and not declared[stored["type"]][0].feature:
            yield block, stored
