"""Declared for a module's records: imports, numbers, payments, media, and the records that a new site begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .types import Dotted


class Outcome(StrEnum):
    """The effect of an imported row on the records."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"

    @classmethod
    def of(cls, *, created: bool, changed: bool) -> "Outcome":
        return cls.CREATED if created else cls.UPDATED if changed else cls.UNCHANGED


@dataclass(frozen=True)
class Match:
    """An existing record to which a row leads, and its changes: the text before and after it, by column."""

    title: str
    changes: Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class ImportColumn:
    """A column that a CSV file may have; `also` lists other headings that programs use for it."""

    name: str
    title: str
    help: str = ""
    required: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportOption:
    """An option asked once per file: a line of text, or a box that must be ticked."""

    name: str
    title: str
    help: str = ""
    must_be_ticked: bool = False


@dataclass(frozen=True)
class Import:
    """A type of CSV file that people can import.

    `read(cells, options)` converts one row (text by column) to the values that `write` takes, or raises Invalid.
    `write(rows, options)` writes many converted rows in the caller's transaction and returns the `Outcome` of each.
    `match(rows, options)`, where there is one, returns for each the `Match` to show before the import, None if it is new.
    """

    name: str
    title: str
    columns: tuple[ImportColumn, ...]
    read: Dotted
    write: Dotted
    #: The permission needed to import, normally that to add such a record: `crm.add_contact`.
    permission: str
    match: Dotted = ""
    options: tuple[ImportOption, ...] = ()
    #: A sentence on how rows that match existing records are handled.
    help: str = ""


@dataclass(frozen=True)
class Records:
    """A module's records, as others deal with them."""

    #: Its kinds of records that customers pay for: a name that payments store, so never change it, to the dotted path of a
    #: `commerce.payments.types.Payable`. Its module uses `payments`.
    payables: Mapping[str, Dotted] = field(default_factory=dict)
    #: Its types of CSV imports, available while its feature is on.
    imports: tuple[Import, ...] = ()
    #: The series of numbers of its records, such as `INV`, with the first number of each. A restored site leaves a gap in them.
    numbers: Mapping[str, int] = field(default_factory=dict)
    #: Answers where the module uses media files, and is notified of changes to them; see `media.types.MediaUsage`.
    media_usage: Dotted = ""
    #: An idempotent function that creates the records a new site needs.
    setup: Dotted = ""
    #: A function `load(scale, progress)` that creates the demo records.
    demo: Dotted = ""
