"""Image slots of rows, and the recommended image for each."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

#: The sizes that image generators offer, by aspect ratio.
OPENAI_SIZES = {Fraction(1): "1024x1024", Fraction(3, 2): "1536x1024", Fraction(2, 3): "1024x1536"}


@dataclass(frozen=True)
class Slot:
    """An image slot in a kind of row."""

    key: str
    label: str
    #: The recommended width in pixels, and aspect ratio such as `16:9`; both optional.
    width: int | None = None
    aspect: str = ""
    #: The row's field for the alternative text; empty if it has none.
    alt_key: str = ""
    #: How the image is rendered; see `cms_api.content.resources.pictures.KINDS`.
    kind: str = "wide"

    @property
    def field(self) -> str:
        """The field of the row, or of a part, with the editor's choice."""
        return self.key.partition("-")[0]

    @property
    def default(self) -> str:
        """The path of the drawing that is shown until an image is chosen."""
        return f"site/slots/{self.kind}.svg"

    @property
    def recommended(self) -> dict[str, Any] | None:
        """The recommended `width`, `aspect` and `openai_size`; None if anything is fine."""
        if not self.width and not self.aspect:
            return None
        return {"width": self.width, "aspect": self.aspect or None, "openai_size": openai_size(self.aspect)}


def openai_size(aspect: str) -> str | None:
    """Return the size in `OPENAI_SIZES` nearest to an aspect ratio such as `16:9`; None without one."""
    if not aspect:
        return None
    width, height = map(int, aspect.split(":"))
    wanted = Fraction(width, height)
    # Symmetric in width and height: aspect ratios differ by their quotient.
    nearest = min(OPENAI_SIZES, key=lambda known: max(known / wanted, wanted / known))
    return OPENAI_SIZES[nearest]
