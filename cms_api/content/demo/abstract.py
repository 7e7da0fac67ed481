"""Abstract pictures: hills, tiles, arches, discs, beams and so on. Each gets its randomness and its colours."""

import math
import random
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFilter

from .canvas import HEIGHT, INK, WIDTH, fade, mix


def hills(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Colours: sky, horizon, sun, far hills, near hills."""
    sky, horizon, sun, far, near = colours
    image = fade(sky, horizon)
    canvas = ImageDraw.Draw(image)
    x, y, radius = WIDTH * chance.uniform(0.6, 0.75), HEIGHT * chance.uniform(0.32, 0.42), HEIGHT * 0.16
    canvas.ellipse((x - radius, y - radius, x + radius, y + radius), fill=sun)
    layers = 6
    for layer in range(layers):
        base = HEIGHT * (0.48 + 0.095 * layer)
        waves = [(chance.uniform(0.6, 2.4), chance.uniform(0, math.tau), chance.uniform(0.02, 0.05) * HEIGHT) for _ in range(3)]
        ridge = [
            (step, base + sum(tall * math.sin(often * math.tau * step / WIDTH + phase) for often, phase, tall in waves))
            for step in range(0, WIDTH + 16, 16)
        ]
        canvas.polygon([(0, HEIGHT), *ridge, (WIDTH, HEIGHT)], fill=mix(far, near, layer / (layers - 1)))
    return image


def tiles(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """The first colour is the background."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    canvas = ImageDraw.Draw(image)
    side = HEIGHT // 5
    for column in range(WIDTH // side):
        for row in range(5):
            ground, shape = chance.sample(list(colours), 2)
            x, y = column * side, row * side
            canvas.rectangle((x, y, x + side, y + side), fill=ground)
            _tile(canvas, chance.randrange(6), x, y, side, shape)
    return image


def _tile(canvas: ImageDraw.ImageDraw, kind: int, x: int, y: int, side: int, colour: str) -> None:
    if kind == 4:
        canvas.ellipse((x + side * 0.2, y + side * 0.2, x + side * 0.8, y + side * 0.8), fill=colour)
    elif kind == 5:
        canvas.pieslice((x, y - side / 2, x + side, y + side / 2), 0, 180, fill=colour)
    else:
        quarter = {0: (0, 90), 1: (90, 180), 2: (270, 360), 3: (180, 270)}[kind]
        corner = {0: (x - side, y - side), 1: (x, y - side), 2: (x - side, y), 3: (x, y)}[kind]
        canvas.pieslice((*corner, corner[0] + 2 * side, corner[1] + 2 * side), *quarter, fill=colour)


def arches(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Colours: outside, then from the outer arch to the inner."""
    outside, outer, inner = colours
    image = Image.new("RGB", (WIDTH, HEIGHT), outside)
    canvas = ImageDraw.Draw(image)
    count, x = 9, WIDTH * chance.uniform(0.42, 0.58)
    for arch in range(count):
        radius = HEIGHT * 0.86 * (1 - arch / (count + 0.6))
        top = HEIGHT - radius * 1.06
        colour = mix(outer, inner, arch / (count - 1))
        canvas.ellipse((x - radius, top, x + radius, top + 2 * radius), fill=colour)
        canvas.rectangle((x - radius, top + radius, x + radius, HEIGHT), fill=colour)
    glow = Image.new("L", image.size, 0)
    ImageDraw.Draw(glow).ellipse((x - HEIGHT * 0.35, HEIGHT * 0.5, x + HEIGHT * 0.35, HEIGHT * 1.2), fill=110)
    glow = glow.resize((WIDTH // 8, HEIGHT // 8)).filter(ImageFilter.GaussianBlur(30)).resize(image.size)
    return Image.composite(Image.new("RGB", image.size, inner), image, glow)


def discs(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """The first colour is the background; the others mix where discs overlap."""
    image = Image.new("RGBA", (WIDTH, HEIGHT), colours[0])
    places = [(0.16, 0.34), (0.38, 0.66), (0.58, 0.32), (0.8, 0.62), (0.3, 0.12), (0.68, 0.92)]
    for number, (across, down) in enumerate(places):
        radius = HEIGHT * chance.uniform(0.2, 0.36)
        x, y = WIDTH * across, HEIGHT * down
        layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
        colour = (*mix(colours[1 + number % (len(colours) - 1)], "#000000", 0), 205)
        ImageDraw.Draw(layer).ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        image = Image.alpha_composite(image, layer)
    return image


def beams(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Colours: dark above, dark below, then the lights."""
    image = fade(colours[0], colours[1]).convert("RGBA")
    lights = colours[2:]
    for number in range(7):
        x, spread = WIDTH * (number + 0.5) / 7, WIDTH * chance.uniform(0.07, 0.13)
        lean = WIDTH * chance.uniform(-0.28, 0.28)
        layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
        colour = (*mix(lights[number % len(lights)], "#000000", 0), 120)
        ImageDraw.Draw(layer).polygon(
            [(x - 30, -20), (x + 30, -20), (x + lean + spread, HEIGHT), (x + lean - spread, HEIGHT)], fill=colour
        )
        image = Image.alpha_composite(image, layer)
    floor = ImageDraw.Draw(image)
    floor.rectangle((0, HEIGHT * 0.86, WIDTH, HEIGHT), fill=colours[0])
    return image


def crowd(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """The first colour is the background; the others are people, in rows."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    canvas = ImageDraw.Draw(image)
    people = list(colours[1:])
    for row in range(4):
        width = WIDTH // (11 - row * 2)
        last = ""
        for place in range(-1, 12 - row * 2):
            colour = chance.choice([each for each in people if each != last])
            last = colour
            x = place * width + (width // 2 if row % 2 else 0)
            top = HEIGHT * (0.2 + 0.19 * row) + chance.uniform(-0.02, 0.03) * HEIGHT
            head = width * 0.27
            middle = x + width / 2
            canvas.rounded_rectangle((x + 8, top + head * 2.1, x + width - 8, HEIGHT * 1.3), radius=width * 0.42, fill=colour)
            canvas.ellipse((middle - head, top, middle + head, top + 2 * head), fill=colour)
    return image


def weave(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """The first two colours alternate as warp; the rest are the weft."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    canvas = ImageDraw.Draw(image)
    side = HEIGHT // 10
    for row in range(10):
        weft = colours[2 + (row // 2 + row) % (len(colours) - 2)]
        for column in range(WIDTH // side):
            x, y = column * side, row * side
            warp = colours[column // 2 % 2]
            across = (row + column) % 2 == 0
            canvas.rectangle((x, y, x + side, y + side), fill=warp)
            gap = side // 12
            box = (x, y + gap, x + side, y + side - gap) if across else (x + gap, y, x + side - gap, y + side)
            canvas.rectangle(box, fill=weft if across else mix(warp, "#000000", 0.06))
    return image


def roof(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Colours: sky, horizon, light side, dark side, wall."""
    sky, horizon, light, dark, wall = colours
    image = fade(sky, horizon)
    canvas = ImageDraw.Draw(image)
    for row in range(3):
        side = WIDTH // (7 - row * 2)
        base = HEIGHT * (0.56 + row * 0.2)
        for place in range(-1, 8 - row * 2):
            x = place * side + chance.uniform(0, 8)
            canvas.polygon(
                [(x, base), (x + side * 0.3, base - side * 0.5), (x + side * 0.3, base)], fill=mix(dark, wall, row / 4)
            )
            canvas.polygon(
                [(x + side * 0.3, base - side * 0.5), (x + side, base), (x + side * 0.3, base)], fill=mix(light, wall, row / 4)
            )
        canvas.rectangle((0, base, WIDTH, HEIGHT), fill=mix(wall, INK, row / 8))
    return image


def rings(chance: random.Random, colours: Sequence[str]) -> Image.Image:
    """Draw concentric circles in alternating colours around two centres."""
    image = Image.new("RGB", (WIDTH, HEIGHT), colours[0])
    canvas = ImageDraw.Draw(image)
    for across, down, largest in ((0.3, 0.52, 0.62), (0.82, 0.44, 0.4)):
        x, y, rings = WIDTH * across, HEIGHT * down, 9
        for ring in range(rings):
            radius = HEIGHT * largest * (1 - ring / rings)
            canvas.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colours[1 + ring % (len(colours) - 1)])
    return image
