"""Slots: where a picture stands in a row, and what suits it there."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

#: The sizes that image generators offer, by aspect ratio.
OPENAI_SIZES = {Fraction(1): "1024x1024", Fraction(3, 2): "1536x1024", Fraction(2, 3): "1024x1536"}


@dataclass(frozen=True)
class Slot:
    """A slot for a picture in a kind of row."""

    key: str
    label: str
    #: The recommended width in pixels and aspect ratio, such as `16:9`; either may be left open.
    width: int | None = None
    aspect: str = ""
    #: The row's field for the alternative text; empty where it has none.
    alt_key: str = ""
    #: How the picture is rendered; see `cms_api.content.resources.pictures.KINDS`.
    kind: str = "wide"

    @property
    def field(self) -> str:
        """The field of the row, or of a part of it, that holds the editor's choice."""
        return self.key.partition("-")[0]

    @property
    def default(self) -> str:
        """The static file that is shown until a picture is chosen."""
        return f"site/slots/{self.kind}.svg"

    @property
    def recommended(self) -> dict[str, Any] | None:
        """The recommended `width`, `aspect` and `openai_size`; None where anything goes."""
        if not self.width and not self.aspect:
            return None
        return {"width": self.width, "aspect": self.aspect or None, "openai_size": openai_size(self.aspect)}


def openai_size(aspect: str) -> str | None:
    """The nearest size of `OPENAI_SIZES` to an aspect ratio such as `16:9`; None without one."""
    if not aspect:
        return None
    width, height = map(int, aspect.split(":"))
    wanted = Fraction(width, height)
    # As far from wide as from tall: proportions differ by their ratio.
    nearest = min(OPENAI_SIZES, key=lambda known: max(known / wanted, wanted / known))
    return OPENAI_SIZES[nearest]
