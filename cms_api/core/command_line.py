"""The command line of `manage.py`, on which an outage is a sentence and not a traceback."""

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line

from . import outages


def run(words: Sequence[str]) -> None:
    """Run a command. If the database cannot be written or reached, or the disk is full, say so and exit with status 1.

    With --traceback, the error itself is raised.
    """
    try:
        execute_from_command_line(list(words))
    except Exception as problem:
        outage = outages.find(problem)
        if outage is None or "--traceback" in words:
            raise
        reason = " ".join(str(problem).split()).rstrip(".")
        sys.exit(f"{outage.message.partition('.')[0]} ({reason}). Try again later.")
