"""Scenes: the mill and its rooms, people, tools and instruments. Each gets its randomness and its colours."""

import math
import random
from collections.abc import Sequence

from PIL import Image, ImageDraw

from .canvas import HEIGHT, INK, WIDTH, fade, mix

Point = tuple[float, float]
Colour = str | tuple[int, ...]
#: Skin, from light to dark, and hair.
SKIN = ("#f2c9a8", "#d99f73", "#a9683f", "#7a4526")
HAIR = ("#2b1b17", "#5a2f1b", "#1d1512", "#8f8f95")


def mill(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw a mill by a river. Colours: sky, horizon, sun, hills, meadow, water, wall, roof."""
    sky, horizon, sun, hill, meadow, water, wall, roof = colours
    image = fade(sky, horizon)
    canvas = ImageDraw.Draw(image)
    _disc(canvas, 0.77, 0.27, 0.12, sun)
    for layer in range(2):
        base, phase = 0.5 + 0.06 * layer, chance.uniform(0, math.tau)
        ridge = [(step / 40, base + 0.05 * math.sin(phase + step / 6) + 0.02 * math.sin(step / 3)) for step in range(41)]
        _shape(canvas, [(0, 1), *ridge, (1, 1)], mix(hill, meadow, layer / 2))
    _shape(canvas, [(0, 1), (0, 0.64), (1, 0.58), (1, 1)], meadow)
    banks = [(y / 40, 0.64 + 0.09 * math.sin(y / 9) + 0.08 * (y / 40), 0.012 + 0.19 * (y / 40) ** 1.7) for y in range(41)]
    left = [(middle - half, 0.6 + 0.4 * down) for down, middle, half in banks]
    right = [(middle + half, 0.6 + 0.4 * down) for down, middle, half in reversed(banks)]
    _shape(canvas, left + right, water)
    for number in range(7):
        x, y = 0.6 + 0.05 * math.sin(number * 2.1) + 0.02 * number, 0.72 + 0.042 * number
        _box(canvas, x, y, 0.05 + 0.012 * number, 0.008, mix(water, "#ffffff", 0.45), 0.004)
    for x, tall in ((0.88, 0.2), (0.95, 0.26), (0.8, 0.14), (0.05, 0.2)):
        _box(canvas, x - 0.004, 0.68 - tall * 0.4, 0.008, tall * 0.5, mix(meadow, INK, 0.6))
        _disc(canvas, x, 0.68 - tall * 0.7, tall * 0.42, mix(meadow, INK, 0.3))
    _box(canvas, 0.31, 0.2, 0.03, 0.2, mix(roof, INK, 0.3))
    _box(canvas, 0.13, 0.36, 0.3, 0.42, wall)
    for gable in range(3):
        x = 0.12 + gable * 0.1067
        _shape(canvas, [(x, 0.37), (x, 0.24), (x + 0.1067, 0.37)], mix(roof, "#ffffff", 0.06 * gable))
    for row in range(3):
        for column in range(4):
            lit = chance.random() < 0.6
            _arch(canvas, 0.155 + column * 0.066, 0.42 + row * 0.115, 0.036, 0.075, sun if lit else mix(wall, INK, 0.55))
    _wheel(canvas, 0.46, 0.68, 0.2, mix(roof, INK, 0.55), mix(wall, INK, 0.75))
    _shape(canvas, [(0, 1), (0, 0.79), (0.2, 0.775), (0.44, 0.8), (0.5, 0.87), (0.42, 1)], mix(meadow, INK, 0.16))
    return image


def house(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw the front of a large house at dusk. Colours: sky, horizon, wall, trim, light, ground."""
    sky, horizon, wall, trim, light, ground = colours
    image = fade(sky, horizon)
    canvas = ImageDraw.Draw(image)
    for number in range(7):
        x, tall = number / 6.5 - 0.04, chance.uniform(0.25, 0.42)
        _box(canvas, x, 0.86 - tall, 0.12, tall, mix(horizon, ground, 0.35))
    _shape(canvas, [(0.16, 0.3), (0.5, 0.1), (0.84, 0.3)], mix(trim, INK, 0.2))
    _disc(canvas, 0.5, 0.225, 0.05, light)
    _box(canvas, 0.19, 0.28, 0.62, 0.6, wall)
    _box(canvas, 0.17, 0.27, 0.66, 0.035, trim)
    _box(canvas, 0.19, 0.55, 0.62, 0.018, trim)
    for row in range(2):
        for column in range(6):
            if (row, column) in {(1, 2), (1, 3)}:
                continue
            lit = light if chance.random() < 0.65 else mix(wall, INK, 0.6)
            _arch(canvas, 0.222 + column * 0.098, 0.345 + row * 0.27, 0.066, 0.17, trim)
            _arch(canvas, 0.23 + column * 0.098, 0.36 + row * 0.27, 0.05, 0.15, lit)
    _arch(canvas, 0.43, 0.58, 0.14, 0.3, trim)
    _arch(canvas, 0.445, 0.61, 0.11, 0.27, light)
    _box(canvas, 0.4985, 0.61, 0.003, 0.27, trim)
    _box(canvas, 0, 0.87, 1, 0.13, ground)
    for step in range(3):
        _box(canvas, 0.4 - step * 0.025, 0.865 + step * 0.025, 0.2 + step * 0.05, 0.025, mix(trim, ground, step / 4))
    return image


def street(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw gabled workshops with cloth on a line. Colours: sky, horizon, ground, then walls and cloths."""
    sky, horizon, ground, *walls = colours
    image = fade(sky, horizon)
    canvas = ImageDraw.Draw(image)
    for number in range(5):
        x, wall, top = number * 0.2, walls[number % len(walls)], chance.uniform(0.32, 0.42)
        roof = mix(wall, INK, 0.45)
        _box(canvas, x, top, 0.2, 0.6, wall)
        _shape(canvas, [(x - 0.004, top), (x + 0.1, top - 0.2), (x + 0.204, top)], roof)
        _disc(canvas, x + 0.1, top - 0.06, 0.035, mix(wall, "#ffffff", 0.7))
        for column in range(2):
            _box(canvas, x + 0.035 + column * 0.08, top + 0.07, 0.05, 0.13, mix(wall, "#ffffff", 0.75))
            _box(canvas, x + 0.059 + column * 0.08, top + 0.07, 0.003, 0.13, roof)
        _arch(canvas, x + 0.065, top + 0.32, 0.07, 0.4, roof)
    _box(canvas, 0, 0.88, 1, 0.12, ground)
    rope = [(step / 50, 0.58 + 0.05 * math.sin(math.pi * step / 25) ** 2) for step in range(51)]
    canvas.line([(x * WIDTH, y * HEIGHT) for x, y in rope], fill=INK, width=10)
    for number in range(8):
        x = 0.045 + number * 0.118
        y = 0.58 + 0.05 * math.sin(math.pi * 2 * (x + 0.04)) ** 2
        cloth = walls[(number * 3 + 1) % len(walls)]
        _box(canvas, x, y, 0.08, chance.uniform(0.16, 0.24), mix(cloth, "#ffffff", 0.25))
        _box(canvas, x, y + 0.05, 0.08, 0.02, mix(cloth, INK, 0.2))
    return image


def portraits(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw people from the chest up, side by side. Colours: backgrounds and clothes."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    canvas = ImageDraw.Draw(image)
    count = 4
    for number in range(count):
        x, ground, clothes = number / count, colours[number % len(colours)], colours[(number + 2) % len(colours)]
        middle, skin, hair = x + 0.5 / count, SKIN[(number * 3 + 1) % len(SKIN)], HAIR[number % len(HAIR)]
        _box(canvas, x, 0, 1 / count, 1, ground)
        top = 0.2 + chance.uniform(0, 0.06)
        if number % 4 in {0, 2}:
            _oval(canvas, middle, top + 0.2, 0.102 if number % 4 else 0.092, 0.23 if number % 4 else 0.2, hair)
        if number % 4 == 0:
            _disc(canvas, middle, top - 0.015, 0.075, hair)
        if number % 4 == 2:
            _box(canvas, middle - 0.1, top + 0.2, 0.2, 0.3, hair, 0.06)
        _box(canvas, middle - 0.028, top + 0.3, 0.056, 0.2, mix(skin, INK, 0.16), 0.03)
        _box(canvas, middle - 0.112, top + 0.44, 0.224, 0.7, clothes, 0.11)
        _oval(canvas, middle, top + 0.445, 0.034, 0.042, mix(skin, INK, 0.16))
        _oval(canvas, middle, top + 0.22, 0.07, 0.155, skin)
        if number % 4 == 1:
            for turn in range(11):
                angle = math.pi * (1.08 - 0.116 * turn)
                _disc(canvas, middle + 0.066 * math.cos(angle), top + 0.17 - 0.11 * math.sin(angle), 0.05, hair)
        else:
            box = _pixels(middle - 0.072, top + 0.055, middle + 0.072, top + 0.33)
            canvas.pieslice(box, 182, 358, fill=hair)
        if number % 4 == 3:
            for side in (-1, 1):
                x_eye, y_eye, radius = (middle + side * 0.03) * WIDTH, (top + 0.225) * HEIGHT, 0.036 * HEIGHT
                canvas.ellipse((x_eye - radius, y_eye - radius, x_eye + radius, y_eye + radius), outline=INK, width=14)
            _box(canvas, middle - 0.01, top + 0.22, 0.02, 0.008, INK)
    return image


def pots(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw shelves of pots. Colours: wall, shelf, then the glazes."""
    wall, shelf, *glazes = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    canvas = ImageDraw.Draw(image)
    forms = (
        (0.3, 1, 0.9, 0.4, 0.55),
        (0.55, 0.8, 1, 0.9, 0.95),
        (0.5, 1, 0.5, 0.25, 0.4),
        (0.7, 0.75, 0.8, 0.85, 0.9),
        (0.4, 0.7, 1, 0.6, 0.3),
    )
    for row, base in enumerate((0.47, 0.92)):
        for place in range(6):
            form = forms[(place * 2 + row * 3) % len(forms)]
            middle, tall, wide = (place + 0.5) / 6, chance.uniform(0.2, 0.34), chance.uniform(0.048, 0.064)
            glaze = glazes[(place + row * 2) % len(glazes)]
            outline = [(_between(form, step / 30) * wide, base - tall * step / 30) for step in range(31)]
            _draw_symmetric(canvas, middle, outline, glaze)
            band = [each for each in outline if 0.35 < (base - each[1]) / tall < 0.52]
            _draw_symmetric(canvas, middle, band, mix(glaze, "#ffffff" if place % 2 else INK, 0.35))
            half = outline[-1][0]
            _oval(canvas, middle, base - tall, half, 0.014, mix(glaze, INK, 0.45))
        _box(canvas, 0, base, 1, 0.03, shelf)
        _box(canvas, 0, base + 0.03, 1, 0.012, mix(wall, INK, 0.18))
    return image


def tools(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw tools that hang on a wall. Colours: wall, rail, metal, then the handles."""
    wall, rail, metal, *handles = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    canvas = ImageDraw.Draw(image)
    _box(canvas, 0, 0.13, 1, 0.05, rail)
    kinds = (_brush, _scissors, _mallet, _roller, _brush, _ruler, _pencil)
    for place, kind in enumerate(kinds):
        x = (place + 0.5) / len(kinds)
        _disc(canvas, x, 0.155, 0.022, INK)
        kind(canvas, x, 0.22, handles[place % len(handles)], metal, mix(rail, "#ffffff", 0.4))
    return image


def _brush(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    _box(canvas, x - 0.012, y, 0.024, 0.36, handle, 0.02)
    _box(canvas, x - 0.022, y + 0.34, 0.044, 0.09, metal)
    hair = [(-0.022, 0.43), (0.022, 0.43), (0.03, 0.54), (0, 0.66), (-0.03, 0.54)]
    _shape(canvas, [(x + across, y + down) for across, down in hair], INK)


def _scissors(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    for side in (-1, 1):
        _ring(canvas, x + side * 0.024, y + 0.06, 0.062, handle)
        blade = [(0.016, 0.12), (-0.006, 0.12), (-0.03, 0.6)]
        _shape(canvas, [(x + side * across, y + down) for across, down in blade], metal)
    _disc(canvas, x, y + 0.2, 0.016, INK)


def _mallet(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    _box(canvas, x - 0.013, y, 0.026, 0.5, wood, 0.02)
    _box(canvas, x - 0.055, y + 0.44, 0.11, 0.18, handle, 0.03)


def _roller(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    _box(canvas, x - 0.014, y, 0.028, 0.26, handle, 0.03)
    _box(canvas, x - 0.005, y + 0.24, 0.01, 0.14, metal)
    _box(canvas, x - 0.06, y + 0.36, 0.12, 0.2, mix(str(handle), INK, 0.5), 0.03)


def _ruler(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    _box(canvas, x - 0.03, y, 0.06, 0.62, handle)
    for mark in range(14):
        _box(canvas, x - 0.03, y + 0.03 + mark * 0.043, 0.03 if mark % 2 else 0.018, 0.007, INK)


def _pencil(canvas: ImageDraw.ImageDraw, x: float, y: float, handle: Colour, metal: Colour, wood: Colour) -> None:
    _box(canvas, x - 0.018, y, 0.036, 0.48, handle)
    _box(canvas, x - 0.018, y, 0.036, 0.05, metal)
    _shape(canvas, [(x - 0.018, y + 0.48), (x + 0.018, y + 0.48), (x, y + 0.62)], wood)
    _shape(canvas, [(x - 0.006, y + 0.575), (x + 0.006, y + 0.575), (x, y + 0.62)], INK)


def instruments(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw a guitar, drums and the keys of a piano. Colours: wall, guitar, drum, shell, keys."""
    wall, wood, drum, shell, keys = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), wall)
    canvas = ImageDraw.Draw(image)
    _disc(canvas, 0.5, 0.42, 0.36, mix(wall, "#ffffff", 0.12))
    # The guitar
    _box(canvas, 0.186, 0.04, 0.028, 0.36, INK)
    _box(canvas, 0.178, 0.02, 0.044, 0.09, mix(wood, INK, 0.5), 0.02)
    _disc(canvas, 0.2, 0.42, 0.13, wood)
    _disc(canvas, 0.2, 0.6, 0.175, wood)
    _disc(canvas, 0.2, 0.49, 0.055, INK)
    _box(canvas, 0.17, 0.66, 0.06, 0.02, INK)
    for string in range(4):
        _box(canvas, 0.1915 + string * 0.0055, 0.05, 0.0012, 0.62, mix(wood, "#ffffff", 0.7))
    # The drums
    for x, y, wide, tall in ((0.5, 0.46, 0.11, 0.3), (0.77, 0.36, 0.085, 0.4)):
        _box(canvas, x - wide, y, 2 * wide, tall, drum)
        _oval(canvas, x, y + tall, wide, 0.045, drum)
        for step in range(6):
            left = x - wide + step * wide / 3
            line = [(left, y), (left + wide / 6, y + tall + 0.02), (left + wide / 3, y)]
            canvas.line([(a * WIDTH, b * HEIGHT) for a, b in line], fill=shell, width=14)
        _oval(canvas, x, y, wide + 0.006, 0.055, shell)
        _oval(canvas, x, y, wide - 0.004, 0.043, keys)
    # The keys
    _box(canvas, 0, 0.8, 1, 0.2, keys)
    for key in range(16):
        _box(canvas, key / 16 - 0.001, 0.8, 0.002, 0.2, INK)
        if key % 7 not in {0, 3}:
            _box(canvas, key / 16 - 0.017, 0.8, 0.034, 0.12, INK)
    return image


def _pixels(left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
    return left * WIDTH, top * HEIGHT, right * WIDTH, bottom * HEIGHT


def _shape(canvas: ImageDraw.ImageDraw, points: Sequence[Point], colour: Colour) -> None:
    canvas.polygon([(x * WIDTH, y * HEIGHT) for x, y in points], fill=colour)


def _box(canvas: ImageDraw.ImageDraw, x: float, y: float, wide: float, tall: float, colour: Colour, round_by: float = 0) -> None:
    canvas.rounded_rectangle(_pixels(x, y, x + wide, y + tall), radius=round_by * HEIGHT, fill=colour)


def _disc(canvas: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour: Colour) -> None:
    """Draw a disc, whose radius is a share of the height."""
    _oval(canvas, x, y, radius * HEIGHT / WIDTH, radius, colour)


def _oval(canvas: ImageDraw.ImageDraw, x: float, y: float, wide: float, tall: float, colour: Colour) -> None:
    canvas.ellipse(_pixels(x - wide, y - tall, x + wide, y + tall), fill=colour)


def _ring(canvas: ImageDraw.ImageDraw, x: float, y: float, radius: float, colour: Colour) -> None:
    wide = radius * HEIGHT / WIDTH
    canvas.ellipse(_pixels(x - wide, y - radius, x + wide, y + radius), outline=colour, width=int(HEIGHT * 0.022))


def _arch(canvas: ImageDraw.ImageDraw, x: float, y: float, wide: float, tall: float, colour: Colour) -> None:
    """Draw a window or a door with a round top."""
    round_part = wide / 2 * WIDTH / HEIGHT
    canvas.ellipse(_pixels(x, y, x + wide, y + 2 * round_part), fill=colour)
    canvas.rectangle(_pixels(x, y + round_part, x + wide, y + tall), fill=colour)


def _wheel(canvas: ImageDraw.ImageDraw, x: float, y: float, radius: float, rim: Colour, spokes: Colour) -> None:
    middle_x, middle_y, reach = x * WIDTH, y * HEIGHT, radius * HEIGHT
    for spoke in range(12):
        angle = math.tau * spoke / 12
        end = (middle_x + reach * 1.06 * math.cos(angle), middle_y + reach * 1.06 * math.sin(angle))
        canvas.line([(middle_x, middle_y), end], fill=spokes, width=26)
    for share in (1.0, 0.62):
        size = reach * share
        canvas.ellipse((middle_x - size, middle_y - size, middle_x + size, middle_y + size), outline=rim, width=44)
    _disc(canvas, x, y, radius * 0.16, rim)


def _draw_symmetric(canvas: ImageDraw.ImageDraw, middle: float, outline: Sequence[Point], colour: Colour) -> None:
    """Draw what has the same outline on both sides; its points are a distance from the middle, and y."""
    sides = [(middle - half, y) for half, y in outline] + [(middle + half, y) for half, y in reversed(outline)]
    _shape(canvas, sides, colour)


def _between(form: Sequence[float], share: float) -> float:
    """Return the radius of a pot at a share of its height, smoothly between the radii of its form."""
    at = share * (len(form) - 1)
    lower = min(int(at), len(form) - 2)
    soft = (1 - math.cos(math.pi * (at - lower))) / 2
    return form[lower] + (form[lower + 1] - form[lower]) * soft
