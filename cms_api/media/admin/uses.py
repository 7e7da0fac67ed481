"""Where an image or file is used, as the admin's pages show it."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..models import Media
from ..services.library import references
from ..types import Reference


@dataclass(frozen=True)
class Holder:
    """A record that uses a file: its label, its edit URL, and the ways in which it uses the file."""

    label: str
    address: str
    uses: tuple[str, ...]


@dataclass(frozen=True)
class Uses:
    """All uses of a file, grouped by record."""

    holders: tuple[Holder, ...]

    @property
    def count(self) -> int:
        return sum(len(holder.uses) for holder in self.holders)


def uses_of(media: Media) -> Uses:
    return grouped(references(media=media))


def grouped(found: Iterable[Reference]) -> Uses:
    """Group references by record, in the order in which they were found."""
    ways: dict[tuple[str, str], list[str]] = {}
    for reference in found:
        ways.setdefault((reference.label, reference.address), []).append(reference.use)
    return Uses(tuple(Holder(label, address, tuple(uses)) for (label, address), uses in ways.items()))
