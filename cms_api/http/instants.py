"""Instants as the API writes them, made by the database: `values_list("created_at__instant")`."""

from typing import Any

from django.db.models import DateTimeField, TextField, Transform


@DateTimeField.register_lookup
class Instant(Transform):
    """Writes a column as `wire.instant` does. To convert each value takes Python longer."""

    lookup_name = "instant"
    output_field = TextField()
    # UTC, with a fraction of the second if it is not zero.
    template = "REPLACE(SUBSTR(%(expressions)s, 1, 19), ' ', 'T') || '+00:00'"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS+00:00')"
        return super().as_sql(compiler, connection, template=template, **context)
