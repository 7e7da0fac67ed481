"""Writes that records of several modules are made by."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet
from django.db.models.functions import Collate

Record = TypeVar("Record", bound=Model)

#: Rows of one statement.
BATCH = 500
#: How often somebody else may be faster, by making a record that was missing or renaming one to its key.
ROUNDS = 20


def find_or_create(
    model: type[Record],
    column: str,
    keys: Collection[str],
    make: Callable[[list[str]], list[Record]],
    check: Callable[[list[str]], None] = lambda missing: None,
) -> tuple[dict[str, Record], dict[str, Record]]:
    """The records that have these keys in a unique column, locked, and those that were made for the rest, both by key.

    `make` gives unsaved records for keys that nobody has; `check` is called with these keys once their records are made. What
    either raises is raised, and undoes the round. However many callers want a key at once, one of them makes its
    record: where somebody else was faster, that record is found in the next round. Must be called in a transaction.

    Locks are taken in the order of the keys, and records made in that order after all locks are held; a round that fails gives
    its locks back with its savepoint. So callers cannot wait for each other in a circle. A caller who begins again raises in
    `check`, and rolls no savepoint around this one back: on PostgreSQL those who wait for locks of a savepoint that was released
    wait for the whole transaction, even for one that has given them back by then and comes to wait for them.
    """
    wanted = sorted(set(keys))
    for _ in range(ROUNDS):
        with suppress(IntegrityError):
            return _round(model, column, wanted, make, check)
    # That many were never faster: something else is wrong with the records.
    return _round(model, column, wanted, make, check)


@transaction.atomic
def _round(
    model: type[Record],
    column: str,
    keys: list[str],
    make: Callable[[list[str]], list[Record]],
    check: Callable[[list[str]], None],
) -> tuple[dict[str, Record], dict[str, Record]]:
    found = _locked(model, column, keys)
    missing = [key for key in keys if key not in found]
    made = model._default_manager.bulk_create(make(missing), batch_size=BATCH) if missing else []
    if missing:
        check(missing)
    return found, {getattr(record, column): record for record in made}


def in_lock_order(rows: QuerySet[Record], column: str) -> QuerySet[Record]:
    """Rows by a text column in the order of its code points, whatever the database's language: the one order of locks."""
    return rows.order_by(Collate(column, "C") if connection.vendor == "postgresql" else column)


def _locked(model: type[Record], column: str, keys: list[str]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        rows = model._default_manager.select_for_update(of=("self",), no_key=True).filter(**{f"{column}__in": part})
        found |= {getattr(record, column): record for record in in_lock_order(rows, column)}
    return found


def fill_blanks(record: Any, values: Mapping[str, Any], columns: Collection[str]) -> list[str]:
    """Sets those columns that are blank and for which there is a value; the names of them."""
    filled = [name for name in columns if values.get(name) and not getattr(record, name)]
    for name in filled:
        setattr(record, name, values[name])
    return filled
