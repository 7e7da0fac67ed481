"""Plain text, cut to a length; in search results around the words that were found, which are marked."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from .search import spans

#: Of longer texts, only the beginning is read for an excerpt.
MAX_READ_CHARACTERS = 20_000
#: Characters after which an excerpt gives up waiting for a space to begin behind.
_LONG_WORD = 40
#: The end of a sentence.
_ENDS = (".", "!", "?", "…", ":")


class Part(NamedTuple):
    text: str
    is_match: bool


def shorten(text: str, length: int) -> str:
    """Return one line of at most `length` characters, cut after a whole word."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:.") + "…"


def join_texts(texts: Iterable[str]) -> str:
    """Join texts of different fields for an excerpt."""
    return "".join(text + (" " if text.endswith(_ENDS) else " · ") for text in texts if text).rstrip(" ·")


def excerpt(text: str, found: Sequence[str], length: int) -> list[Part]:
    """Return about `length` characters of a text around the first word of a search, with all of those words marked.

    If none of them occurs, it is the beginning of the text.
    """
    line = " ".join(text[:MAX_READ_CHARACTERS].split())
    first, last = next(spans(line, found), (0, 0))
    if last <= length:
        return mark_words(shorten(line, length), found)
    before = max(first - length // 3, 0)
    start = line.find(" ", before, before + _LONG_WORD) + 1 or before
    return mark_words("…" + shorten(line[start:], length - 1), found)


def mark_words(text: str, found: Sequence[str]) -> list[Part]:
    """Split a text into parts, of which those that match a word of a search are marked."""
    edges = [0, *chain.from_iterable(spans(text, found)), len(text)]
    parts = [Part(text[start:end], bool(place % 2)) for place, (start, end) in enumerate(pairwise(edges))]
    return [part for part in parts if part.text]
