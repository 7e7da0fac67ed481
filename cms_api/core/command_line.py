"""The command line of `manage.py`, on which an outage is a sentence and not a traceback."""

import sys
from collections.abc import Sequence
from contextlib import suppress

from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection

from . import outages


def run(words: Sequence[str]) -> None:
    """Run a command. If the database cannot be written or reached, or has no tables, or the disk is full, say so with status 1.

    With --traceback, the error itself is raised.
    """
    try:
        execute_from_command_line(list(words))
    except Exception as problem:
        if isinstance(problem, DatabaseError) and "--traceback" not in words and _has_no_tables():
            sys.exit("The database has no tables yet. Run `manage.py migrate` first.")
        outage = outages.find(problem)
        if outage is None or "--traceback" in words:
            raise
        reason = " ".join(str(problem).split()).rstrip(".")
        sys.exit(f"{outage.message.partition('.')[0]} ({reason}). Try again later.")


def _has_no_tables() -> bool:
    with suppress(DatabaseError):
        return not connection.introspection.table_names()
    return False
