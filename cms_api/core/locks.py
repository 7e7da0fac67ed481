"""The weakest row locks that keep referenced rows from being deleted."""

from collections.abc import Collection

from django.db import connection
from django.db.models import Model


def lock_for_share(model: type[Model], ids: Collection[int]) -> bool:
    """Return whether all the rows exist; on PostgreSQL, those found cannot be deleted until the caller's transaction ends."""
    if connection.vendor != "postgresql":
        return model._default_manager.filter(pk__in=ids).count() == len(ids)
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(model._meta.db_table)
        cursor.execute(f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [list(ids)])
        return len(cursor.fetchall()) == len(ids)
