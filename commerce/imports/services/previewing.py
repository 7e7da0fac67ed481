"""Shows before an import which records its rows would change, and which rows it would refuse. Writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.module import Import, Match

from ..models import ImportRun
from ..types import MAX_PREVIEWED_ROWS, MAX_SHOWN_ROWS, check_mapping
from .reading import Row, cells_of, join_sentences, rows_of
from .runs import read_file


@dataclass
class Preview:
    """The effect of the first rows: how many are new and so on; updates and refusals with their lines, the first ones only."""

    rows: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    updates: list[tuple[int, Match]] = field(default_factory=list)
    refusals: list[tuple[int, str]] = field(default_factory=list)


def preview_rows(run: ImportRun, kind: Import, *, limit: int = MAX_PREVIEWED_ROWS) -> Preview | None:
    """Return the effect of the first rows of a run that was not started; None if its kind can't tell. Raises Invalid."""
    if not kind.match:
        return None
    mapping = check_mapping(kind, run.mapping, len(run.header))
    read, match = registry.load(kind.read), registry.load(kind.match)
    found = Preview()
    rows: list[tuple[Row, Mapping[str, Any]]] = []
    for row in islice(rows_of(read_file(run), encoding=run.encoding, delimiter=run.delimiter), limit):
        found.rows += 1
        try:
            rows.append((row, read(cells_of(row, mapping, len(run.header)), {})))
        except Invalid as refusal:
            found.refused += 1
            if len(found.refusals) < MAX_SHOWN_ROWS:
                found.refusals.append((row.line, join_sentences(refusal)))
    for (row, _), matched in zip(rows, match([values for _, values in rows], {}), strict=True):
        if matched is None:
            found.created += 1
        elif not matched.changes:
            found.unchanged += 1
        else:
            found.updated += 1
            if len(found.updates) < MAX_SHOWN_ROWS:
                found.updates.append((row.line, matched))
    return found
