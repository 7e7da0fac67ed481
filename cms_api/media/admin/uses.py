"""Where an image or file is used, as the admin's pages show it."""

from dataclasses import dataclass
from typing import NamedTuple

from cms_api.adminkit.links import existing_path

from ..models import Media
from ..services.library import references


class Place(NamedTuple):
    """A record that uses a file: its label and edit URL, which is empty while its feature is off."""

    label: str
    address: str


@dataclass(frozen=True)
class Uses:
    """All uses of a file, grouped by record."""

    places: dict[Place, list[str]]

    @property
    def count(self) -> int:
        return sum(map(len, self.places.values()))


def uses_of(media: Media) -> Uses:
    """Return the uses in the order in which they are found."""
    places: dict[Place, list[str]] = {}
    for reference in references(media=media):
        places.setdefault(Place(reference.label, existing_path(reference.address)), []).append(reference.use)
    return Uses(places)
