"""The demo's photos of houses and rooms, drawn once and stored in the media library."""

import random
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from django.core.files.base import ContentFile
from PIL import Image, ImageDraw
from wagtail.images import get_image_model

from cms_api.media.services.intake import receive_all
from cms_api.media.services.library import upload

PICTURE_SIZE = (1000, 750)
#: Pictures are drawn larger by this factor and scaled down, which smooths the edges.
OVERSAMPLING = 2
WIDTH, HEIGHT = PICTURE_SIZE[0] * OVERSAMPLING, PICTURE_SIZE[1] * OVERSAMPLING

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
    missing = {name: title for name, title in titles.items() if title not in images}
    files = (ContentFile(_encode(draw(name)), name=f"demo-{name}.jpg") for name in missing)
    for title, file in zip(missing.values(), receive_all(files), strict=True):
        images[title] = upload(file=file, title=title, alt=title)
    return {url: images[titles[name]] for url, name in photos.items()}


def _title(name: str) -> str:
    return f"Demo listing: {TITLES.get(name) or name.replace('-', ' ')}"


def draw(name: str) -> Image.Image:
    """Return the drawing of that name, the same every time."""
    chance = random.Random(name)
    image = _room(chance, ROOMS[name]) if name in ROOMS else _outside(chance, has_house=name != "garden")
    return image.reduce(OVERSAMPLING)


def _encode(image: Image.Image) -> bytes:
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
    _circle(canvas, chance.randint(100, 900), 120, 50, "#fbeed3")
    for x, radius in ((-50, 340), (400, 400), (950, 380)):
        _circle(canvas, x, 735, radius + chance.randint(0, 60), "#8fb58c")
    _box(canvas, 0, 555, 1000, 195, "#6f9f6b")
    if has_house:
        _house(canvas, chance)
    for x in (70, 900) if has_house else (80, 300, 550, 860):
        height = chance.randint(105, 165)
        _box(canvas, x - 9, 570 - height, 18, height, "#6a4a35")
        _circle(canvas, x, 540 - height, 75, chance.choice(("#3f7a4d", "#c97b3d", "#5f9452")))
    if not has_house:
        for bed in range(3):
            _box(canvas, 180 + 240 * bed, 615, 180, 52, "#6a4a35")
            for plant in range(5):
                _circle(canvas, 200 + 240 * bed + 35 * plant, 615, 16, chance.choice(("#e5556a", "#f5b82e", "#9fc29b")))
    return image


def _house(canvas: ImageDraw.ImageDraw, chance: random.Random) -> None:
    wall, roof, paint = chance.choice(WALLS), chance.choice(ROOFS), chance.choice(PAINTS)
    storeys, columns = chance.choice((1, 2, 2)), chance.choice((3, 4, 5))
    width, storey = 110 * columns + 60, 142
    left, top = 500 - width // 2, 585 - storey * storeys
    right, inset = left + width, width * 4 // 25
    _box(canvas, right - 2 * inset, top - 150, 45, 150, "#8a4b38")
    _shape(canvas, [(left - 30, top), (left + inset, top - 128), (right - inset, top - 128), (right + 30, top)], roof)
    _box(canvas, left, top, width, storey * storeys, wall)
    entrance = columns // 2
    for row in range(storeys):
        for column in range(columns):
            x, y = left + 45 + 110 * column, top + 34 + storey * row
            if row == storeys - 1 and column == entrance:
                _box(canvas, x, y, 65, storey - 34, paint)
                _box(canvas, x - 20, y + storey - 41, 105, 9, "#d9d2c5")
                continue
            _box(canvas, x - 8, y - 6, 81, 84, "#fdfaf2")
            _box(canvas, x, y, 65, 72, chance.choice(("#ffe9a8", "#9db9cc", "#9db9cc")))
            _box(canvas, x + 30, y, 5, 72, "#fdfaf2")
    middle = left + 77 + 110 * entrance
    _shape(canvas, [(middle - 30, 585), (middle + 30, 585), (middle + 120, 750), (middle - 120, 750)], "#d9cdb8")


def _room(chance: random.Random, colours: tuple[str, str, str, str]) -> Image.Image:
    wall, floor, furniture, accent = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    canvas = ImageDraw.Draw(image)
    _box(canvas, 0, 525, 1000, 225, floor)
    for board in range(1, 5):
        _box(canvas, 0, 525 + 45 * board, 1000, 3, "#8a6a4c")
    _box(canvas, 580, 105, 300, 270, "#fdfaf2")
    _box(canvas, 595, 120, 270, 240, "#a9d3ea")
    _box(canvas, 725, 120, 10, 240, "#fdfaf2")
    _box(canvas, 140, 150, 200, 150, accent)
    _circle(canvas, 240, 225, 50, wall)
    _box(canvas, 100, 345, 420, 225, furniture)
    for cushion in range(3):
        _box(canvas, 140 + 130 * cushion, 375, 80, 68, chance.choice((accent, wall)))
    _box(canvas, 640, 495, 220, 19, "#6a4a35")
    for leg in (660, 830):
        _box(canvas, leg, 510, 14, 105, "#6a4a35")
    _circle(canvas, 750, 450, 45, "#3f7a4d")
    _box(canvas, 730, 465, 40, 34, accent)
    return image


def _box(canvas: ImageDraw.ImageDraw, x: int, y: int, width: int, height: int, colour: str) -> None:
    canvas.rectangle((x * OVERSAMPLING, y * OVERSAMPLING, (x + width) * OVERSAMPLING, (y + height) * OVERSAMPLING), fill=colour)


def _circle(canvas: ImageDraw.ImageDraw, x: int, y: int, radius: int, colour: str) -> None:
    canvas.ellipse(
        ((x - radius) * OVERSAMPLING, (y - radius) * OVERSAMPLING, (x + radius) * OVERSAMPLING, (y + radius) * OVERSAMPLING),
        fill=colour,
    )


def _shape(canvas: ImageDraw.ImageDraw, points: list[tuple[int, int]], colour: str) -> None:
    canvas.polygon([(x * OVERSAMPLING, y * OVERSAMPLING) for x, y in points], fill=colour)
