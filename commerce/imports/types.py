"""Limits and states of imports, and header matching. No database access."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import TextChoices

from cms_api.core.errors import Invalid
from cms_api.core.module import Import
from cms_api.text.folding import fold

MIB = 1024 * 1024
MAX_FILE_BYTES = 20 * MIB
MAX_ROWS = 200_000
MAX_COLUMNS = 200
#: Characters per cell: the limit of Python's csv module.
MAX_CELL = 131_072
MAX_OPTION = 1000
MAX_SENTENCE = 500

#: The most rows of a transaction, those of the first one, and how many times as many the next one has at most.
BATCH, FIRST_BATCH, GROWTH = 500, 25, 4
#: How long a transaction may take: rows of some kinds take a hundred times as long as those of others.
WRITE_NANOSECONDS = 10**9
#: How long a task works before it queues the next one; the task queue kills tasks after 40 seconds.
TASK_DURATION = timedelta(seconds=20)
#: Lease of a run; after it, another worker may claim the run of one that died.
LEASE = timedelta(seconds=90)
#: A queued run that no worker has started is requeued after this time.
REQUEUE_AFTER = timedelta(minutes=2)
#: Attempts per batch, so that a batch that kills its worker is not retried forever.
MAX_ATTEMPTS = 3

#: Rows that are compared with existing records before an import, and rows that are then shown.
MAX_PREVIEWED_ROWS, MAX_SHOWN_ROWS = 2_000, 200

#: When files that were never started, and later the data of finished runs, are deleted: both contain personal data.
UNUSED_RETENTION = timedelta(days=1)
RETENTION = timedelta(days=90)

#: The first three are detected automatically.
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Western European (Windows)",
    "cp1250": "Central European (Windows)",
    "cp1251": "Cyrillic (Windows)",
    "cp1253": "Greek (Windows)",
    "cp1254": "Turkish (Windows)",
    "mac_roman": "Western European (Mac)",
    "shift_jis": "Japanese (Shift JIS)",
    "gb18030": "Chinese (GB 18030)",
}
DELIMITERS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar"}

#: The columns added to a file of refused rows.
LINE, PROBLEM = "Import line", "Import error"


class State(TextChoices):
    #: Read, and waiting for its columns to be mapped.
    UPLOADED = "uploaded", "Not started"
    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


UNDER_WAY = (State.WAITING, State.RUNNING)
OVER = (State.FINISHED, State.FAILED, State.CANCELLED)


def match_columns(kind: Import, header: Sequence[str]) -> dict[str, int]:
    """Return the index in the header of each of the kind's columns found in it."""
    places: dict[str, int] = {}
    for place, name in enumerate(header):
        places.setdefault(_bare(name), place)
    found = {}
    for column in kind.columns:
        names = map(_bare, (column.name, column.title, *column.also))
        fitting = [places[name] for name in names if name in places]
        if fitting:
            found[column.name] = fitting[0]
    return found


def _bare(name: str) -> str:
    """Normalize a header: "E-mail", "e_mail" and "E Mail" are the same."""
    return re.sub(r"[\W_]+", "", fold(name))


def check_mapping(kind: Import, mapping: Mapping[str, Any], width: int) -> dict[str, int]:
    """Return the indexes of the mapped columns. Raises Invalid."""
    known = {column.name: column for column in kind.columns}
    errors: dict[str, str] = {}
    for name, place in mapping.items():
        if name not in known:
            errors[name] = f"Unknown column: {name[:100]!r}."
        elif isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < width:
            errors[name] = "The file doesn't have this column."
    for column in kind.columns:
        if column.required and column.name not in mapping:
            errors[column.name] = f"Choose the column with the {column.title.lower()}."
    if errors:
        raise Invalid(errors)
    return dict(mapping)


def check_options(kind: Import, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the whole file. Raises Invalid."""
    errors: dict[str, str] = {}
    found: dict[str, Any] = {}
    for option in kind.options:
        given = options.get(option.name)
        if option.must_be_ticked:
            if given is not True:
                errors[option.name] = f"Confirm to continue: “{option.title}”."
            found[option.name] = True
        elif given is not None:
            if not isinstance(given, str) or "\0" in given or len(given) > MAX_OPTION:
                errors[option.name] = f"Enter at most {MAX_OPTION} characters."
            found[option.name] = given
    unknown = set(options) - {option.name for option in kind.options}
    errors |= {name: f"Unknown option: {name[:100]!r}." for name in unknown}
    if errors:
        raise Invalid(errors)
    return found
