"""The exclusion constraint of PostgreSQL, of which SQLite has no equal."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from django.db import connection

from commerce.booking.models import Appointment, BookedSlot

_migration = import_module("commerce.booking.migrations.0001_initial")


@contextmanager
def without_exclusion() -> Iterator[None]:
    """Drop the constraint, and restore it at the end, without the slots that were made meanwhile."""
    _run(_migration.DROP)
    try:
        yield
    finally:
        Appointment.objects.update(slot=None, status="cancelled")
        BookedSlot.objects.all().delete()
        _run(_migration.ADD)


def _run(statement: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(statement)
