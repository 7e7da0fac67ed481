"""Writes entries of the search index on PostgreSQL by SQL that stays the same.

The stock backend builds and compiles an expression for each column of each record, and makes a field's text for each anew.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db.models import Model
from modelsearch.index import FilterField
from modelsearch.utils import get_content_type_pk

from cms_api.core.writing import Sql

_INSERT = """
INSERT INTO {table} (content_type_id, object_id, title, autocomplete, body, title_norm, title_text, body_text)
VALUES {rows}
ON CONFLICT (content_type_id, object_id) DO UPDATE SET title = excluded.title, title_norm = 1.0,
autocomplete = excluded.autocomplete, body = excluded.body, title_text = excluded.title_text, body_text = excluded.body_text
"""

#: Records in a statement.
_BATCH_ROWS = 200
#: Texts with their weights, and the configuration they are read by; None is the database's own.
Vector = tuple[list[tuple[str, str]], str | None]


def write_entries(records: Sequence[Model]) -> list[Sql]:
    """Return statements that write entries of stored records of a model as the stock backend does, in place of former ones."""
    from wagtail.search.models import IndexEntry

    writes = []
    for start in range(0, len(records), _BATCH_ROWS):
        rows = [_row(record) for record in records[start : start + _BATCH_ROWS]]
        sql = _INSERT.format(table=IndexEntry._meta.db_table, rows=", ".join(row for row, _ in rows))
        writes.append(Sql(sql, [value for _, values in rows for value in values]))
    return writes


def _row(record: Model) -> tuple[str, list[Any]]:
    """Return the SQL of the row of a record, and its values."""
    from wagtail.search.backends import get_search_backend

    made = _indexer()(record, get_search_backend())
    vectors = [_sql(vector) for vector in (made.title, made.autocomplete, made.body)]
    sql = ", ".join(["%s, %s", *(each for each, _ in vectors), "1.0, %s, %s"])
    values = [value for _, each in vectors for value in each]
    return f"({sql})", [get_content_type_pk(type(record)), made.id, *values, made.title_text, made.body_text]


def _sql(vector: Vector) -> tuple[str, list[str]]:
    """Return the SQL of a vector, and its values. Weights are those of modelsearch: letters from A to D."""
    texts, config = vector
    before = "" if config is None else "%s::regconfig, "
    parts = [f"setweight(to_tsvector({before}%s::text), '{weight}')" for _, weight in texts]
    values = [value for text, _ in texts for value in ([text] if config is None else [config, text])]
    return " || ".join(parts) or "''::tsvector", values


class TextsOnce:
    """Makes the text of each field of a record once; the stock indexers make it for each column of the entry."""

    search_fields: list[Any]

    def __init__(self, obj: Any, backend: Any) -> None:
        super().__init__(obj, backend)  # type: ignore[call-arg]
        self.search_fields = [field for field in self.search_fields if not isinstance(field, FilterField)]

    def prepare_field(self, obj: Any, field: Any) -> list[Any]:
        made = self.__dict__.setdefault("made", {})
        if (obj, field) not in made:
            made[obj, field] = list(super().prepare_field(obj, field))  # type: ignore[misc]
        found: list[Any] = made[obj, field]
        return found


@cache
def _indexer() -> Any:
    """Return the stock class that makes entries, without expressions."""
    from modelsearch.backends.database.postgres.postgres import ObjectIndexer

    class Indexer(TextsOnce, ObjectIndexer):
        def as_vector(self, texts: list[tuple[str, str]], for_autocomplete: bool = False) -> Vector:
            stripped = [(text.strip(), weight) for text, weight in texts]
            return [each for each in stripped if each[0]], self.autocomplete_config if for_autocomplete else self.config

    return Indexer
