"""Derives the theme's colours from those that editors pick: text always has a contrast of 4.5:1 to its background.

The backgrounds are those of `static/site/tokens.css`; of each scheme, the one nearest to the other scheme's.
"""

import re
from dataclasses import dataclass

WHITE, BLACK, INK = "#ffffff", "#000000", "#14161c"
LIGHT_GROUND, DARK_GROUND = "#f0f1f4", "#191c26"
DARK_PAPER = "#0f1117"
#: The background of the illustrations.
LIGHT_TILE, DARK_TILE = "#e9eaf0", "#1c202c"

#: WCAG 2.2, level AA: text, and parts of an illustration that must stay visible.
TEXT_CONTRAST = 4.5
LARGE_TEXT_CONTRAST = 3
SHAPE_CONTRAST = 1.4
#: Light text on a dark background looks thinner than it is.
DARK_TEXT_CONTRAST = 6

#: The theme's own colours, in the order in which they fill the illustration colours that nobody picked.
OWN = ("#2a3bd0", "#ff6a45", "#f5b82e", "#1d8f83")
DARK_ACCENT = "#aab6ff"
DARK_OWN = ("#4a5bf0", "#f06a48", "#e0a92c", "#1f8f84")
#: A part of illustrations that is hardly darker or lighter than their background.
LIGHT_SHADE, DARK_SHADE = "#d4d8e6", "#2a3042"
#: Two illustration colours closer than this look like a mistake.
MIN_COLOUR_DISTANCE = 75
MIX_STEPS = 256

_HEX = re.compile("#[0-9a-fA-F]{6}")
_SCHEME = re.compile(r"\(prefers-color-scheme:\s*(light|dark)\)")


def is_colour(text: str) -> bool:
    """Return whether a text is `#rrggbb`."""
    return bool(_HEX.fullmatch(text))


def luminance(colour: str) -> float:
    """Return WCAG's relative luminance, 0 to 1."""
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return WCAG's contrast ratio of two colours, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable(colour: str, ground: str, ratio: float = TEXT_CONTRAST) -> str:
    """Return the colour, or the nearest mix of it with black or white that reaches the contrast ratio to the background."""
    end = BLACK if luminance(ground) > luminance("#777777") else WHITE
    low, high = 0, MIX_STEPS
    while low < high:
        middle = (low + high) // 2
        if contrast(_mix(colour, end, middle), ground) >= ratio and _is_beyond(colour, end, middle, ground):
            high = middle
        else:
            low = middle + 1
    return _mix(colour, end, high)


def solid(colour: str) -> tuple[str, str]:
    """Return a background as close to the colour as possible, and its text colour: white unless that would darken it much."""
    text = WHITE if contrast(WHITE, colour) >= LARGE_TEXT_CONTRAST else INK
    return readable(colour, text), text


@dataclass(frozen=True)
class Palette:
    """The custom properties of one scheme, without their dashes."""

    light: dict[str, str]
    dark: dict[str, str]


def palette(accent: str = "", secondary: str = "") -> Palette:
    """Return replacements for the theme's own colours; empty if none was picked."""
    light: dict[str, str] = {}
    dark: dict[str, str] = {}
    if is_colour(accent):
        panel, on_panel = solid(accent)
        text = readable(accent, DARK_GROUND, DARK_TEXT_CONTRAST)
        light |= {"accent": readable(accent, LIGHT_GROUND), "on-accent": WHITE, "fill": panel, "on-fill": on_panel}
        light |= {"panel": panel, "on-panel": on_panel}
        dark |= {"accent": text, "on-accent": DARK_PAPER, "fill": text, "on-fill": DARK_PAPER}
    if is_colour(accent) or is_colour(secondary):
        for name, colour in zip("abcd", _tiles(accent, secondary), strict=True):
            light[f"tile-{name}"] = readable(colour, LIGHT_TILE, SHAPE_CONTRAST)
            dark[f"tile-{name}"] = readable(colour, DARK_TILE, SHAPE_CONTRAST)
    return Palette(light, dark)


def theme_css(accent: str = "", secondary: str = "") -> str:
    """Return the style sheet of the picked colours; empty if none was picked."""
    found = palette(accent, secondary)
    rules = ["".join(f"--{name}:{colour};" for name, colour in scheme.items()) for scheme in (found.light, found.dark)]
    return f":root{{{rules[0]}}}@media (prefers-color-scheme:dark){{:root{{{rules[1]}}}}}\n" if any(rules) else ""


def drawing_colours(accent: str = "", secondary: str = "") -> Palette:
    """Return the colours of illustrations in files, which cannot use the page's: `a` to `d`, `ground` and `shade`."""
    found = palette(accent, secondary)
    light = {name: found.light.get(f"tile-{name}", own) for name, own in zip("abcd", OWN, strict=True)}
    dark = {name: found.dark.get(f"tile-{name}", own) for name, own in zip("abcd", DARK_OWN, strict=True)}
    return Palette(light | {"ground": LIGHT_TILE, "shade": LIGHT_SHADE}, dark | {"ground": DARK_TILE, "shade": DARK_SHADE})


@dataclass(frozen=True)
class Sample:
    """Text of one colour on another, as pages show it."""

    label: str
    colour: str
    ground: str
    #: Whether the picked colour had to be made lighter or darker for it.
    is_adjusted: bool

    @property
    def ratio(self) -> float:
        return contrast(self.colour, self.ground)


def samples(accent: str, scheme: str) -> list[Sample]:
    """Return the uses of the accent colour in a scheme, each on the background with the least contrast."""
    picked = (accent if is_colour(accent) else OWN[0]).lower()
    found = palette(picked)
    own = found.light if scheme == "light" else {**found.light, **found.dark}
    if not is_colour(accent) and scheme == "dark":
        own |= {"accent": DARK_ACCENT, "fill": DARK_ACCENT}
    return [
        Sample("Links", own["accent"], LIGHT_GROUND if scheme == "light" else DARK_GROUND, own["accent"] != picked),
        Sample("Buttons", own["on-fill"], own["fill"], own["fill"] != picked),
        Sample("Panels", own["on-panel"], own["panel"], own["panel"] != picked),
    ]


def in_scheme(css: str, scheme: str) -> str:
    """Return a style sheet whose rules for the light and the dark scheme apply as if the visitor had chosen `scheme`."""
    return _SCHEME.sub(lambda found: "all" if found[1] == scheme else "not all", css)


def _tiles(accent: str, secondary: str) -> list[str]:
    """Return the four illustration colours: the picked ones, then the theme's own that differ enough from them."""
    picked = [accent if is_colour(accent) else OWN[0]]
    if is_colour(secondary):
        picked.append(secondary)
    for apart in (MIN_COLOUR_DISTANCE, 0):
        for own in (*OWN[1:], OWN[0]):
            if len(picked) < 4 and own not in picked and all(_distance(own, each) > apart for each in picked):
                picked.append(own)
    return picked


def _is_beyond(colour: str, end: str, share: int, ground: str) -> bool:
    """Return whether a mix is on the right side of the background: on the other side, contrast would be a coincidence."""
    mixed = luminance(_mix(colour, end, share))
    return mixed < luminance(ground) if end == BLACK else mixed > luminance(ground)


def _mix(first: str, second: str, share: int) -> str:
    pairs = zip(_parts(first), _parts(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share / MIX_STEPS):02x}" for a, b in pairs)


def _distance(first: str, second: str) -> float:
    return sum((a - b) ** 2 for a, b in zip(_parts(first), _parts(second), strict=True)) ** 0.5


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
