"""Text without the differences that searches ignore. It needs no database."""

import re
import unicodedata


def fold(text: str) -> str:
    """Return text in the form of the index: lower case, without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


#: Letters that Unicode does not take apart, as people type them without their own keyboard.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ß": "ss"}
)
#: Soft hyphens, and characters without a width.
UNSEEN = "\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
_UNSEEN = re.compile(f"[{UNSEEN}]+")


def fold_for_search(text: str) -> str:
    """Return text in the form of the index of words: `fold`, with plain Latin letters and without invisible characters."""
    return text.lower() if text.isascii() else fold(_UNSEEN.sub("", text)).translate(_LETTERS)
