"""Reads that records of several modules are found by."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL


def tagged(records: QuerySet[Any], tag: str) -> QuerySet[Any]:
    """Those whose `tags` hold a tag, whatever its case."""
    table = connection.ops.quote_name(records.model._meta.db_table)
    elements = "jsonb_array_elements_text" if connection.vendor == "postgresql" else "json_each"
    # Both functions call their column `value`.
    having = f"SELECT {table}.id FROM {table}, {elements}({table}.tags) AS held(value) WHERE lower(held.value) = lower(%s)"
    if connection.vendor == "sqlite":
        having = having.replace("AS held(value)", "AS held")
    return records.filter(pk__in=RawSQL(having, [tag]))
