"""What a row says of its pictures, and the names rows go by."""

import secrets
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
SUFFIX = 6

#: The sizes that picture generators make, by their proportions.
OPENAI_SIZES = {Fraction(1): "1024x1024", Fraction(3, 2): "1536x1024", Fraction(2, 3): "1024x1536"}


@dataclass(frozen=True)
class Slot:
    """A place for a picture in a kind of row."""

    key: str
    label: str
    #: The width in pixels, and the proportions such as `16:9`, that suit the place; either may be left open.
    width: int | None = None
    aspect: str = ""
    #: The field of the row that holds the picture's alternative text, where it has one.
    alt_key: str = ""
    #: How it is shown; see `cms_api.content.views.pictures.KINDS`.
    kind: str = "wide"

    @property
    def field(self) -> str:
        """The field of a row, or of a part of it, that holds the editor's choice."""
        return self.key.partition("-")[0]

    @property
    def default(self) -> str:
        """The drawing, a static file, that stands in the place of a picture while nobody has chosen one."""
        return f"site/slots/{self.kind}.svg"

    @property
    def recommended(self) -> dict[str, Any] | None:
        """What a picture for this place should be like; None where anything goes."""
        if not self.width and not self.aspect:
            return None
        return {"width": self.width, "aspect": self.aspect or None, "openai_size": openai_size(self.aspect)}


def openai_size(aspect: str) -> str | None:
    """The size nearest to proportions such as `16:9`."""
    if not aspect:
        return None
    width, height = map(int, aspect.split(":"))
    wanted = Fraction(width, height)
    # As far from wide as from tall: proportions differ by their ratio.
    nearest = min(OPENAI_SIZES, key=lambda known: max(known / wanted, wanted / known))
    return OPENAI_SIZES[nearest]


def new_row_slug(kind: str) -> str:
    """`hero-k3x0a9`: not to be guessed, and kept for the row's life."""
    return f"{kind.replace('_', '-')}-{''.join(secrets.choice(BASE36) for _ in range(SUFFIX))}"
