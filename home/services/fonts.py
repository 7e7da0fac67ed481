"""Makes the web fonts of the theme from a font package: subsets as WOFF2, found and collected like other static files.

A browser loads a subset only if the page has one of its characters. Making one takes two seconds: they stay in `FONTS_FOLDERS`.
"""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

PACKAGE = "fontpkg_inter"
#: `site/fonts.css` names the files.
FOLDER = "site/fonts"
LICENCE = "OFL.txt"

#: Characters of the western European languages, punctuation and arrows; then those of the other languages in Latin script. As in
#: the `unicode-range` of `fonts.css`.
LATIN = (
    "U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,"
    "U+2190-2199,U+2212,U+2215,U+FEFF,U+FFFD"
)
LATIN_EXTENDED = (
    "U+0100-0130,U+0132-0151,U+0154-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+1D00-1DBF,U+1E00-1EFF,"
    "U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF"
)
#: Without the dozens of alternates that only style sheets could ask for.
FEATURES = ["calt", "case", "ccmp", "kern", "liga", "lnum", "locl", "mark", "mkmk", "rlig", "tnum"]


@dataclass(frozen=True)
class Subset:
    #: The name of the file in the package.
    source: str
    characters: str


SUBSETS = {
    "inter-latin.woff2": Subset("Inter[opsz,wght].ttf", LATIN),
    "inter-latin-extended.woff2": Subset("Inter[opsz,wght].ttf", LATIN_EXTENDED),
    "inter-italic-latin.woff2": Subset("Inter-Italic[opsz,wght].ttf", LATIN),
    "inter-italic-latin-extended.woff2": Subset("Inter-Italic[opsz,wght].ttf", LATIN_EXTENDED),
}


class FontFinder(BaseFinder):
    """Finds the subsets for Django's static files, and makes those that are missing."""

    def check(self, **options: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **options: Any) -> Any:
        folder, _, name = path.rpartition("/")
        if folder != FOLDER or name not in (*SUBSETS, LICENCE):
            return []
        found = str(_find_or_make(name))
        return [found] if find_all else found

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, Any]]:
        for name in (*SUBSETS, LICENCE):
            storage: Any = FileSystemStorage(location=_find_or_make(name).parent)
            storage.prefix = FOLDER
            yield name, storage


def _find_or_make(name: str) -> Path:
    """Return the path of a subset, or of the licence, which has to accompany the fonts."""
    places = [Path(folder) / _digest() / name for folder in settings.FONTS_FOLDERS]
    found = next((file for file in places if file.exists()), None)
    if found is None:
        found = next(file for file in places if _is_writable(file.parent))
        # Other processes may be making it too: each writes a file of its own, and the last one stays.
        unfinished = found.with_name(f"{name}.{os.getpid()}")
        if name == LICENCE:
            unfinished.write_bytes((files(PACKAGE) / "LICENSE").read_bytes())
        else:
            _make(SUBSETS[name], unfinished)
        unfinished.rename(found)
    return found


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


@cache
def _digest() -> str:
    """Return a hash of everything that the files depend on."""
    versions = [version(name) for name in (PACKAGE.replace("_", "-"), "fonttools", "brotli")]
    return blake2b(repr((versions, SUBSETS, FEATURES)).encode(), digest_size=6).hexdigest()


def _make(subset: Subset, target: Path) -> None:
    # fontTools takes a tenth of a second to load, which no other command should wait for.
    from fontTools.subset import Options, Subsetter, parse_unicodes
    from fontTools.ttLib import TTFont

    # It reports every table that it leaves out.
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    with TTFont(str(files(PACKAGE) / "files" / subset.source)) as font:
        subsetter = Subsetter(Options(flavor="woff2", layout_features=FEATURES, notdef_outline=True))
        subsetter.populate(unicodes=parse_unicodes(subset.characters))
        subsetter.subset(font)
        font.flavor = "woff2"
        font.save(str(target))
