"""The pairs of fonts that a theme can choose: their style is `static/site/fonts.css`, by the same names."""

from dataclasses import dataclass

#: The file that has the letters of most pages.
INTER = "site/fonts/inter-latin.woff2"


@dataclass(frozen=True)
class FontPair:
    label: str
    #: Letters are wider than those of the system's fonts by this factor.
    width: float = 1
    #: The file that every page needs, which browsers load before they know the style.
    preload: str = ""


SYSTEM, NEW_SITE = "system", "modern"
FONTS = {
    "modern": FontPair("Modern: Inter", width=1.05, preload=INTER),
    "classic": FontPair("Classic: a serif for headings, Inter for text", width=1.05, preload=INTER),
    SYSTEM: FontPair("System: the fonts of each visitor's device"),
}
