"""Item writes go by types, terms and targets as they are until the write is visible, not by what was read before it.

Whoever writes items shares the type's row first; whoever changes a type or its terms has it alone. Then come items and what
they refer to, then versions: everybody takes them in this order. On SQLite a transaction has it all alone anyway.
"""

from collections.abc import Collection

from django.db import connection
from django.db.models import Model

from cms_api.core import versions
from cms_api.core.errors import NotFound

from ..models import ContentType
from ..selectors import type_by_id


def hold_type(type_id: int) -> ContentType:
    """The type, which stays as it is until the caller's transaction ends. Raises NotFound where it is gone."""
    hold(ContentType, [type_id])
    versions.forget()
    try:
        return type_by_id(type_id)
    except KeyError:
        raise NotFound from None


def hold(model: type[Model], ids: Collection[int]) -> bool:
    """Whether all the rows are there; those that are cannot be deleted until the caller's transaction ends."""
    if connection.vendor != "postgresql":
        return model._default_manager.filter(pk__in=ids).count() == len(ids)
    with connection.cursor() as cursor:
        table = connection.ops.quote_name(model._meta.db_table)
        cursor.execute(f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", [list(ids)])
        return len(cursor.fetchall()) == len(ids)
