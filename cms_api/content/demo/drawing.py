"""The demo's pictures, drawn deterministically: scenes for places, services and events, abstract ones for posts."""

import random
from collections.abc import Sequence

from PIL import Image

from .abstract import arches, beams, crowd, discs, hills, rings, roof, tiles, weave
from .canvas import COBALT, CORAL, CREAM, LEAF, NIGHT, PICTURE_SIZE, RUST, SAND, SKY, SUN, TEAL, Painter
from .scenes import house, instruments, mill, portraits, pots, street, tools


def draw(name: str) -> Image.Image:
    """Return the picture of that name, 1600x1000 in RGB."""
    painter, colours = RECIPES[name]
    return painter(random.Random(name), colours).convert("RGB").resize(PICTURE_SIZE, Image.Resampling.LANCZOS)


RECIPES: dict[str, tuple[Painter, Sequence[str]]] = {
    "river": (hills, ("#ffd9c2", "#ff9d7a", "#ff5a36", "#a7b4f2", "#1b2a8f")),
    "tiles": (tiles, (CREAM, COBALT, CORAL, SUN, TEAL)),
    "kiln": (arches, ("#1b1210", RUST, "#ffe9a8")),
    "print": (discs, (CREAM, COBALT, CORAL)),
    "stage": (beams, (NIGHT, COBALT, SUN, CORAL, SKY)),
    "garden": (hills, ("#e6f1ea", "#f8f3dc", "#f7d774", "#bcd8b6", "#1f5f4a")),
    "choir": (crowd, (SKY, COBALT, CORAL, SUN, TEAL, CREAM, NIGHT)),
    "loom": (weave, (CREAM, SAND, SUN, TEAL, "#e07a3f")),
    "roof": (roof, ("#ff8f6b", "#ffd6b0", "#f6e7d0", "#3a2f5c", "#5b3a5e")),
    "moon": (hills, ("#0f1538", "#2c3a86", "#f4efd8", "#39479c", "#0b0f26")),
    "paper": (discs, ("#f0d9c8", CORAL, TEAL, CREAM)),
    "brass": (rings, (NIGHT, SUN, COBALT, CREAM, CORAL)),
    "studio": (tiles, (CREAM, LEAF, TEAL, SAND, "#dfe8d8")),
    "workshop": (discs, ("#fdf7e7", SUN, TEAL)),
    "mill": (mill, ("#bfe3ee", "#fbeed3", SUN, "#a9cdb0", "#7fb08a", "#3f6fd8", "#f3e2c6", "#c2452d")),
    "hall": (house, ("#1b2460", "#ff9d7a", "#e9c9a0", "#f7f0e1", SUN, NIGHT)),
    "street": (street, ("#d7ecf2", CREAM, "#3a3d4c", CORAL, SUN, TEAL, COBALT, "#d9779b")),
    "people": (portraits, (SUN, COBALT, CORAL, TEAL)),
    "singers": (portraits, (SKY, CORAL, TEAL, SUN)),
    "pots": (pots, ("#f3e6d3", "#8a5a3c", TEAL, COBALT, CORAL, CREAM, SUN, RUST)),
    "tools": (tools, ("#1f6f68", "#e0b37e", "#d9dee6", CORAL, SUN, CREAM, SKY)),
    "pencils": (tools, (SKY, COBALT, "#f7f0e1", CORAL, SUN, TEAL, CREAM)),
    "instruments": (instruments, (NIGHT, CORAL, COBALT, SUN, CREAM)),
}
