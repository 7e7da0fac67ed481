"""Write helpers shared by several modules."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet
from django.db.models.functions import Collate
from django.utils import timezone
from wagtail.log_actions import get_active_log_context
from wagtail.models import ModelLogEntry

from cms_api.core.writing import insert

Record = TypeVar("Record", bound=Model)

#: Rows per statement.
BATCH = 500
#: Attempts of `bulk_get_or_create` when concurrent inserts take its keys.
ROUNDS = 20


def bulk_get_or_create(
    model: type[Record],
    column: str,
    keys: Collection[str],
    make: Callable[[list[str]], list[Record]],
) -> tuple[dict[str, Record], dict[str, Record]]:
    """Lock the records with these keys in a unique column and create the missing ones; return both groups by key.

    `make` returns unsaved records for missing keys. Must be called in a transaction. Existing rows are locked in key order,
    then missing ones are inserted in key order. When a key has just been inserted by another transaction, the attempt is
    rolled back to its savepoint, which releases its locks, and retried. So each key gets exactly one record and concurrent
    callers cannot deadlock.
    """
    wanted = sorted(set(keys))
    for _ in range(ROUNDS):
        with suppress(IntegrityError):
            return _get_or_create(model, column, wanted, make)
    # More attempts never helped: the conflict must have another cause.
    return _get_or_create(model, column, wanted, make)


@transaction.atomic
def _get_or_create(
    model: type[Record], column: str, keys: list[str], make: Callable[[list[str]], list[Record]]
) -> tuple[dict[str, Record], dict[str, Record]]:
    found = _lock(model, column, keys)
    missing = [key for key in keys if key not in found]
    made = make(missing) if missing else []
    insert(made)
    return found, {getattr(record, column): record for record in made}


def in_lock_order(rows: QuerySet[Record], column: str) -> QuerySet[Record]:
    """Order rows by a text column's code points, whatever the database's collation: the single lock order."""
    return rows.order_by(Collate(column, "C") if connection.vendor == "postgresql" else column)


def _lock(model: type[Record], column: str, keys: list[str]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        rows = model._default_manager.select_for_update(of=("self",), no_key=True).filter(**{f"{column}__in": part})
        found |= {getattr(record, column): record for record in in_lock_order(rows, column)}
    return found


def fill_blanks(record: Any, values: Mapping[str, Any], columns: Collection[str]) -> list[str]:
    """Set the listed columns that are blank and have a value; return their names."""
    filled = [name for name in columns if values.get(name) and not getattr(record, name)]
    for name in filled:
        setattr(record, name, values[name])
    return filled


def log_all(records: Sequence[Model], action: str, *, user: Any = None, deleted: bool = False) -> None:
    """`wagtail.log_actions.log` for many records of one model, in bulk."""
    if not records:
        return
    context, now = get_active_log_context(), timezone.now()
    common: dict[str, Any] = {
        "content_type": ContentType.objects.get_for_model(records[0], for_concrete_model=False),
        "action": action,
        "user": user or context.user,
        "uuid": context.uuid,
        "timestamp": now,
        "deleted": deleted,
    }
    entries = ModelLogEntry.objects
    entries.bulk_create(
        [ModelLogEntry(**common, object_id=str(record.pk), label=entries.get_instance_title(record)) for record in records],
        batch_size=BATCH,
    )
