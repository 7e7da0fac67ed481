"""The demo's pictures, drawn deterministically: scenes for places, services and events, abstract ones for posts."""

import random

from PIL import Image

from cms_api.core.demo import data_beside

from . import abstract, scenes
from .canvas import PICTURE_SIZE, Painter

PICTURES = data_beside(__file__, "pictures.yaml")
_PAINTERS: tuple[Painter, ...] = (
    *(abstract.arches, abstract.beams, abstract.crowd, abstract.discs, abstract.hills, abstract.rings, abstract.roof),
    *(abstract.tiles, abstract.weave, scenes.house, scenes.instruments, scenes.mill, scenes.portraits, scenes.pots),
    *(scenes.street, scenes.tools),
)
PAINTERS = {painter.__name__: painter for painter in _PAINTERS}


def draw(name: str) -> Image.Image:
    """Return the picture of that name, 1600x1000 in RGB."""
    painter, colours = PAINTERS[PICTURES[name]["painter"]], PICTURES[name]["colours"]
    picture = painter(random.Random(name), colours)
    return picture.convert("RGB").resize(PICTURE_SIZE, Image.Resampling.LANCZOS)
