"""Row locks that say no more than they need: that what is referred to stays."""

from collections.abc import Collection

from django.db import connection
from django.db.models import Model


def hold(model: type[Model], ids: Collection[int]) -> bool:
    """Whether all the rows are there; those that are cannot be deleted until the caller's transaction ends."""
    if connection.vendor != "postgresql":
        return model._default_manager.filter(pk__in=ids).count() == len(ids)
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(model._meta.db_table)
        cursor.execute(f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [list(ids)])
        return len(cursor.fetchall()) == len(ids)
