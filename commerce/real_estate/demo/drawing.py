"""The demo's photos of houses and rooms, drawn once and stored in the media library."""

import random
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from django.core.files.base import ContentFile
from PIL import Image, ImageDraw
from wagtail.images import get_image_model

from cms_api.media.services.library import upload

SIZE = (1000, 750)
#: Pictures are drawn larger by this factor and scaled down, which smooths the edges.
OVER = 2
WIDTH, HEIGHT = SIZE[0] * OVER, SIZE[1] * OVER

SKIES = (("#8ec5e8", "#f6efe0"), ("#f7b58f", "#fbe7c9"), ("#b9c6ff", "#f7f0e1"), ("#6fa3c7", "#dfeaf0"))
WALLS = ("#b4553c", "#f2e6cf", "#dfe3e8", "#7fa08b", "#e5c07b", "#c98f7a", "#8fa6c1")
ROOFS = ("#3a3d4c", "#5b3a2e", "#6d6f73", "#7a2e22")
PAINTS = ("#1d8f83", "#2a3bd0", "#8c2f1b", "#f5b82e")
#: The colours of a room: wall, floor, furniture and accent.
ROOMS = {
    "living-room": ("#f3ead9", "#b98a5e", "#3f6fd8", "#f5b82e"),
    "kitchen": ("#e4efe8", "#d8cbb8", "#1d6f66", "#c2452d"),
    "bedroom": ("#efe6f2", "#a9805c", "#7b6fb0", "#f3d9b1"),
}
TITLES = {"living-room": "Living room", "kitchen": "Kitchen", "bedroom": "Bedroom", "garden": "Garden"}


def stock(photos: Mapping[str, str]) -> dict[str, Any]:
    """Return the library's images of photos by their URLs; `photos` has the names of the drawings. Draws what is missing."""
    titles = {name: _title(name) for name in photos.values()}
    found = get_image_model().objects.filter(title__in=titles.values()).order_by("-pk")
    images = {image.title: image for image in found}
    for name, title in titles.items():
        if title not in images:
            file = ContentFile(_encoded(draw(name)), name=f"demo-{name}.jpg")
            images[title] = upload(file=file, title=title, alt=title)
    return {url: images[titles[name]] for url, name in photos.items()}


def _title(name: str) -> str:
    return f"Demo listing: {TITLES.get(name) or name.replace('-', ' ')}"


def draw(name: str) -> Image.Image:
    """Return the drawing of that name, the same every time."""
    chance = random.Random(name)
    image = _room(chance, ROOMS[name]) if name in ROOMS else _outside(chance, has_house=name != "garden")
    return image.reduce(OVER)


def _encoded(image: Image.Image) -> bytes:
    target = BytesIO()
    image.save(target, "JPEG", quality=82)
    return target.getvalue()


def _outside(chance: random.Random, *, has_house: bool) -> Image.Image:
    top, bottom = chance.choice(SKIES)
    image = Image.composite(
        Image.new("RGB", (WIDTH, HEIGHT), bottom),
        Image.new("RGB", (WIDTH, HEIGHT), top),
        Image.linear_gradient("L").resize((WIDTH, HEIGHT)),
    )
    canvas = ImageDraw.Draw(image)
    _circle(canvas, chance.uniform(0.1, 0.9), 0.16, 0.05, "#fbeed3")
    for x, radius in ((-0.05, 0.34), (0.4, 0.4), (0.95, 0.38)):
        _circle(canvas, x, 0.98, radius + chance.uniform(0, 0.06), "#8fb58c")
    _box(canvas, 0, 0.74, 1, 0.26, "#6f9f6b")
    if has_house:
        _house(canvas, chance)
    for x in (0.07, 0.9) if has_house else (0.08, 0.3, 0.55, 0.86):
        height = chance.uniform(0.14, 0.22)
        _box(canvas, x - 0.009, 0.76 - height, 0.018, height, "#6a4a35")
        _circle(canvas, x, 0.72 - height, 0.075, chance.choice(("#3f7a4d", "#c97b3d", "#5f9452")))
    if not has_house:
        for bed in range(3):
            _box(canvas, 0.18 + 0.24 * bed, 0.82, 0.18, 0.07, "#6a4a35")
            for plant in range(5):
                _circle(canvas, 0.2 + 0.24 * bed + 0.035 * plant, 0.82, 0.016, chance.choice(("#e5556a", "#f5b82e", "#9fc29b")))
    return image


def _house(canvas: ImageDraw.ImageDraw, chance: random.Random) -> None:
    wall, roof, door = chance.choice(WALLS), chance.choice(ROOFS), chance.choice(PAINTS)
    storeys, columns = chance.choice((1, 2, 2)), chance.choice((3, 4, 5))
    width, storey = 0.11 * columns + 0.06, 0.19
    left, top = 0.5 - width / 2, 0.78 - storey * storeys
    _box(canvas, left + width * 0.72, top - 0.2, 0.045, 0.2, "#8a4b38")
    _shape(
        canvas,
        [(left - 0.03, top), (left + width * 0.16, top - 0.17), (left + width * 0.84, top - 0.17), (left + width + 0.03, top)],
        roof,
    )
    _box(canvas, left, top, width, storey * storeys, wall)
    entrance = columns // 2
    for row in range(storeys):
        for column in range(columns):
            x, y = left + 0.045 + 0.11 * column, top + 0.045 + storey * row
            if row == storeys - 1 and column == entrance:
                _box(canvas, x, y, 0.065, storey - 0.045, door)
                _box(canvas, x - 0.02, y + storey - 0.055, 0.105, 0.012, "#d9d2c5")
                continue
            _box(canvas, x - 0.008, y - 0.008, 0.081, 0.112, "#fdfaf2")
            _box(canvas, x, y, 0.065, 0.096, "#ffe9a8" if chance.random() < 0.35 else "#9db9cc")
            _box(canvas, x + 0.03, y, 0.005, 0.096, "#fdfaf2")
    middle = left + 0.0775 + 0.11 * entrance
    _shape(canvas, [(middle - 0.03, 0.78), (middle + 0.03, 0.78), (middle + 0.12, 1), (middle - 0.12, 1)], "#d9cdb8")


def _room(chance: random.Random, colours: tuple[str, str, str, str]) -> Image.Image:
    wall, floor, furniture, accent = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    canvas = ImageDraw.Draw(image)
    _box(canvas, 0, 0.7, 1, 0.3, floor)
    for board in range(1, 5):
        _box(canvas, 0, 0.7 + 0.06 * board, 1, 0.004, "#8a6a4c")
    _box(canvas, 0.58, 0.14, 0.3, 0.36, "#fdfaf2")
    _box(canvas, 0.595, 0.16, 0.27, 0.32, "#a9d3ea")
    _box(canvas, 0.725, 0.16, 0.01, 0.32, "#fdfaf2")
    _box(canvas, 0.14, 0.2, 0.2, 0.2, accent)
    _circle(canvas, 0.24, 0.3, 0.05, wall)
    _box(canvas, 0.1, 0.56, 0.42, 0.2, furniture)
    _box(canvas, 0.1, 0.46, 0.42, 0.12, furniture)
    for cushion in range(3):
        _box(canvas, 0.14 + 0.13 * cushion, 0.5, 0.08, 0.09, chance.choice((accent, wall)))
    _box(canvas, 0.64, 0.66, 0.22, 0.025, "#6a4a35")
    for leg in (0.66, 0.83):
        _box(canvas, leg, 0.68, 0.014, 0.14, "#6a4a35")
    _circle(canvas, 0.75, 0.6, 0.045, "#3f7a4d")
    _box(canvas, 0.73, 0.62, 0.04, 0.045, accent)
    return image


def _box(canvas: ImageDraw.ImageDraw, x: float, y: float, width: float, height: float, colour: str) -> None:
    canvas.rectangle((x * WIDTH, y * HEIGHT, (x + width) * WIDTH, (y + height) * HEIGHT), fill=colour)


def _circle(canvas: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour: str) -> None:
    middle, down, size = x * WIDTH, y * HEIGHT, radius * WIDTH
    canvas.ellipse((middle - size, down - size, middle + size, down + size), fill=colour)


def _shape(canvas: ImageDraw.ImageDraw, points: list[tuple[float, float]], colour: str) -> None:
    canvas.polygon([(x * WIDTH, y * HEIGHT) for x, y in points], fill=colour)
