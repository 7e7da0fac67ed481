"""Row locks that last until the caller's transaction ends. SQLite needs none: a transaction that writes is alone there."""

from collections.abc import Collection
from typing import TypeVar

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from cms_api.core.identifiers import MAX_ID
from cms_api.core.not_found import found_or_404

from . import statements
from .not_found import NotFound

M = TypeVar("M", bound=Model)


def refuse_in_transaction(work: str) -> None:
    """Raise RuntimeError if the caller is in a transaction: for work that takes long, while others wait for its locks.

    In development and in tests only, whose own transaction around a test does not count.
    """
    if settings.REFUSES_SLOW_WORK_IN_TRANSACTIONS and connection.in_atomic_block:
        try:
            with transaction.atomic(durable=True, savepoint=False):
                pass
        except RuntimeError as problem:
            raise RuntimeError(f"{work} takes long: do it before or after the transaction.") from problem


def lock_row(rows: QuerySet[M], *, to_delete: bool = False) -> M:
    """Return the first of some rows as it is stored, locked against changes. Raises NotFound if there is none.

    Unless `to_delete` is set, other transactions can still create references to it.
    """
    return found_or_404(rows.select_for_update(of=("self",), no_key=not to_delete).first())


def get_row(rows: QuerySet[M], pk: object) -> M:
    """Return one of some rows by its id, locked if they are `select_for_update()`. Raises NotFound if it is gone."""
    try:
        return rows.get(pk=pk)
    except ObjectDoesNotExist:
        raise NotFound from None


def lock_to_delete(record: Model) -> None:
    """Lock a record that is about to be deleted: before its entry in the search index, as do all who change it.

    Raises NotFound if somebody else has deleted it.
    """
    get_row(type(record)._base_manager.select_for_update(of=("self",)), record.pk)


def lock_for_share(model: type[Model], ids: Collection[int]) -> bool:
    """Return whether all the rows exist; on PostgreSQL, those found cannot be deleted until the caller's transaction ends."""
    return len(_rows(model, ids)) == len(ids)


def block_deletion(model: type[Model], ids: Collection[int]) -> None:
    """Keep rows from being deleted until the caller's transaction ends; on SQLite, it is alone, and nothing has to be asked."""
    if ids and connection.vendor == "postgresql":
        _rows(model, ids)


def _rows(model: type[Model], ids: Collection[int]) -> list[tuple[int]]:
    table, keys = connection.ops.quote_name(model._meta.db_table), [each for each in ids if each <= MAX_ID]
    with statements.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [keys])
        else:
            cursor.execute(f"SELECT 1 FROM {table} WHERE id IN ({', '.join(['%s'] * len(keys))})", keys)
        return list(cursor.fetchall())
