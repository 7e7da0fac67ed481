"""Declared for background work, for signals between modules, and for settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .types import Dotted


@dataclass(frozen=True)
class Job:
    """Periodic work: a function without arguments, and the interval between runs in seconds.

    It runs while its module's feature is on; housekeeping that must go on is marked `always`. A run that takes longer than
    `deadline_seconds` is stopped, however it hangs. Work that may take longer ends by itself, and the next run continues it.
    """

    name: str
    function: Dotted
    every: int
    always: bool = False
    deadline_seconds: int = 300
    #: Whether it writes to people or charges them because a date has come. The lost site may have done so since its backup:
    #: `restore` pauses it until somebody has compared, and resumes it.
    reaches_people: bool = False
    #: Whether it deletes stored files that no record names. A site that is restored on trial may share the storage of the live
    #: site, and has no records of the files that this one has stored since the backup: `restore` pauses it, too.
    deletes_strays: bool = False

    @property
    def waits_after_restore(self) -> bool:
        return self.reaches_people or self.deletes_strays


@dataclass(frozen=True)
class Queue:
    """Work that a worker does as soon as it is due (`core.queues.Work`), while its module's feature is on.

    On hosts without a worker, a periodic job of the same name does it once an hour.
    """

    name: str
    work: Dotted


@dataclass(frozen=True)
class Signal:
    """A signal that a module sends and other modules may listen to; see `Module.listens`."""

    name: str
    #: When it is sent and, if it matters, how the listeners' return values are used.
    summary: str
    #: The arguments of each listener, as a signature: `item: ContentItem`.
    arguments: str


class Always(str):
    """The dotted path of a listener that is called even while its module's feature is off."""


@dataclass(frozen=True)
class SettingKey:
    """A dotted settings key. A key that ends in `.*` declares a family, such as `detail_layout.default.*`.

    A key with a title is among the settings that every admin understands; the others are on a page for developers.
    `choices` are the valid values, with their labels if people do not know the values.
    """

    key: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] | Mapping[str, str] = ()
    title: str = ""
    #: Whether the text is a list of words, which are stored one per line; see `flags.selectors.get_words`.
    is_list: bool = False
    #: A function of the value, or of each word of a list, that returns what is wrong with it, or an empty text.
    check: Dotted = ""
