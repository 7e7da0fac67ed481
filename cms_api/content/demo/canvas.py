"""The canvas of the demo's pictures: its size, the colours that they share, and gradients."""

import random
from collections.abc import Callable, Sequence

from PIL import Image

PICTURE_SIZE = (1600, 1000)
#: Pictures are drawn larger by this factor and scaled down, which smooths the edges.
OVERSAMPLING = 2
WIDTH, HEIGHT = PICTURE_SIZE[0] * OVERSAMPLING, PICTURE_SIZE[1] * OVERSAMPLING

INK = "#14161c"

Painter = Callable[[random.Random, Sequence[str]], Image.Image]


def fade(top: str, bottom: str) -> Image.Image:
    ramp = Image.linear_gradient("L").resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    return Image.composite(Image.new("RGB", ramp.size, bottom), Image.new("RGB", ramp.size, top), ramp)


def mix(first: str, second: str, share: float) -> tuple[int, ...]:
    pairs = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return tuple(round(a + (b - a) * share) for a, b in pairs)
