"""Writes entries of the search index on PostgreSQL by SQL that stays the same.

The stock backend builds and compiles an expression for each column of each record, and makes a field's text for each anew.
"""

from functools import cache
from typing import Any

from django.db.models import Model
from modelsearch.utils import get_content_type_pk

from cms_api.core.writing import Write

_INSERT = """
INSERT INTO {table} (content_type_id, object_id, title, autocomplete, body, title_norm, title_text, body_text)
VALUES (%s, %s, {title}, {autocomplete}, {body}, 1.0, %s, %s)
ON CONFLICT (content_type_id, object_id) DO UPDATE SET title = excluded.title, title_norm = 1.0,
autocomplete = excluded.autocomplete, body = excluded.body, title_text = excluded.title_text, body_text = excluded.body_text
"""

#: Texts with their weights, and the configuration they are read by; None is the database's own.
Vector = tuple[list[tuple[str, str]], str | None]


def write_entry(record: Model) -> Write:
    """Return the statement that writes the entry of a stored record, as the stock backend does; it replaces a former one."""
    from wagtail.search.backends import get_search_backend
    from wagtail.search.models import IndexEntry

    made = _indexer()(record, get_search_backend())
    columns, parameters = {}, [get_content_type_pk(type(record)), made.id]
    for name in ("title", "autocomplete", "body"):
        columns[name], values = _sql(getattr(made, name))
        parameters += values
    return Write(_INSERT.format(table=IndexEntry._meta.db_table, **columns), [*parameters, made.title_text, made.body_text])


def _sql(vector: Vector) -> tuple[str, list[str]]:
    """Return the SQL of a vector, and its values. Weights are those of modelsearch: letters from A to D."""
    texts, config = vector
    before = "" if config is None else "%s::regconfig, "
    parts = [f"setweight(to_tsvector({before}%s::text), '{weight}')" for _, weight in texts]
    values = [value for text, _ in texts for value in ([text] if config is None else [config, text])]
    return " || ".join(parts) or "''::tsvector", values


@cache
def _indexer() -> Any:
    """Return the stock class that makes entries, which makes each text once and no expressions."""
    from modelsearch.backends.database.postgres.postgres import ObjectIndexer

    class Indexer(ObjectIndexer):
        def prepare_field(self, obj: Any, field: Any) -> list[Any]:
            made = self.__dict__.setdefault("made", {})
            if (obj, field) not in made:
                made[obj, field] = list(super().prepare_field(obj, field))
            found: list[Any] = made[obj, field]
            return found

        def as_vector(self, texts: list[tuple[str, str]], for_autocomplete: bool = False) -> Vector:
            stripped = [(text.strip(), weight) for text, weight in texts]
            return [each for each in stripped if each[0]], self.autocomplete_config if for_autocomplete else self.config

    return Indexer
