"""Instants of whole columns, which the database reads as text: `values_list("created_at__as_text")`."""

from typing import Any

from django.db.models import DateTimeField, TextField, Transform


@DateTimeField.register_lookup
class AsText(Transform):
    """A column in UTC as the database writes it: `2026-03-01 18:30:00.25`. To parse each value takes Python longer."""

    lookup_name = "as_text"
    output_field = TextField()
    template = "CAST(%(expressions)s AS TEXT)"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return super().as_sql(compiler, connection, template="(%(expressions)s AT TIME ZONE 'UTC')::text", **context)


def from_text(text: str | None) -> str | None:
    """Return such a text as `wire.instant` writes the instant: `2026-03-01T18:30:00+00:00`."""
    return None if text is None else f"{text[:10]}T{text[11:19]}+00:00"
