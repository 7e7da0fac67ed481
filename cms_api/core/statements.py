"""Cursors for SQL whose text is the same each time, which PostgreSQL prepares: it parses and plans it once per connection."""

from typing import Any

from django.db import connection


def cursor(*, binary: bool = False) -> Any:
    """Return a cursor that binds values on the server, and lets the driver prepare a statement that is repeated.

    Without prepared statements, and on SQLite, it is the ordinary cursor. PostgreSQL returns the columns of a `binary` one in
    its binary format, which suits bytes, numbers and instants, not JSON.
    """
    make = getattr(connection, "statement_cursor", None)
    return make(binary=binary) if make else connection.cursor()
