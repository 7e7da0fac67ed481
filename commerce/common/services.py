"""Writes that records of several modules are made by."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model

Record = TypeVar("Record", bound=Model)

#: Rows of one statement.
BATCH = 500


def find_or_create(
    model: type[Record], column: str, keys: Collection[str], make: Callable[[list[str]], list[Record]]
) -> tuple[dict[str, Record], dict[str, Record]]:
    """The records that have these keys in a unique column, locked, and those that were made for the rest, both by key.

    `make` gives unsaved records for keys that nobody has. However many callers want a key at once, one of them makes its
    record: where somebody else was faster, that record is found in the next round. Must be called in a transaction.
    """
    wanted = sorted(set(keys))
    while True:
        found = _locked(model, column, wanted)
        missing = [key for key in wanted if key not in found]
        if not missing:
            return found, {}
        try:
            with transaction.atomic():
                made = model._default_manager.bulk_create(make(missing), batch_size=BATCH)
        except IntegrityError:
            if not _locked(model, column, missing):
                raise
            continue
        return found, {getattr(record, column): record for record in made}


def _locked(model: type[Record], column: str, keys: list[str]) -> dict[str, Record]:
    """In the order of their keys, so that two callers cannot wait for each other."""
    found: dict[str, Record] = {}
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        rows = model._default_manager.select_for_update(of=("self",), no_key=True).filter(**{f"{column}__in": part})
        found |= {getattr(record, column): record for record in rows.order_by(column)}
    return found


def fill_blanks(record: Any, values: Mapping[str, Any], columns: Collection[str]) -> list[str]:
    """Sets those columns that are blank and for which there is a value; the names of them."""
    filled = [name for name in columns if values.get(name) and not getattr(record, name)]
    for name in filled:
        setattr(record, name, values[name])
    return filled
