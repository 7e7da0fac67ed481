"""Text as people type it on the keyboards of all countries. It needs no database."""

import re
import unicodedata

_MINUS, _LONG_VOWEL = "\N{MINUS SIGN}", "\N{KATAKANA-HIRAGANA PROLONGED SOUND MARK}"
_KANA = re.compile("[\u3041-\u30ff]")
#: Unicode's Default_Ignorable_Code_Point, which programs do not show, and mostly ignore; and the other format characters (Cf).
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f]"
)


def drop_invisible(text: str) -> str:
    """Return text without the characters that nobody sees, and without those that format others.

    Some of them belong into names and words: they join the letters of Persian and Indic scripts, and choose the looks of emoji.
    So it is for comparing texts and looking into them, not for storing them.
    """
    return _INVISIBLE.sub("", text)


def fold_keyboard(text: str) -> str:
    """Return a code or a number as an English keyboard writes it, without invisible characters.

    Full-width letters and digits become narrow, dashes of every kind hyphens, and spaces of every kind spaces; line breaks stay.
    The mark of a long vowel in Japanese is typed as a dash, too, but belongs to a word after another kana. Not for prose.
    """
    if text.isascii():
        return text
    found: list[str] = []
    for each in unicodedata.normalize("NFKC", drop_invisible(text)):
        category = unicodedata.category(each)
        is_dash = category == "Pd" or each == _MINUS
        if is_dash or (each == _LONG_VOWEL and not (found and _KANA.fullmatch(found[-1]))):
            found.append("-")
        else:
            found.append(" " if category == "Zs" else each)
    return "".join(found)
