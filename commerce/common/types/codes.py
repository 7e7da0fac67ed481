"""Codes and numbers as people type them, or paste them from emails and documents."""

import unicodedata

from cms_api.core.identifiers import with_hyphen
from cms_api.text.keyboards import fold_keyboard


def typed_code(text: str) -> str:
    """Return a code in the spelling in which codes are compared: upper case, without spaces and invisible characters.

    As `fold_keyboard` returns it, so full-width letters are letters, and dashes of every kind hyphens. Does not validate.
    """
    # Folded once more, because an upper-case letter may have another form.
    folded = fold_keyboard("".join(map(_upper, fold_keyboard(text))))
    return "".join(each for each in folded if not each.isspace() and unicodedata.category(each) != "Cs")


def _upper(letter: str) -> str:
    """Return a letter in upper case, but for those that would become another letter of ASCII, such as the dotless i."""
    upper = letter.upper()
    return letter if upper.isascii() and not letter.isascii() else upper


def number_key(text: str) -> str:
    """Return the number of a record that somebody typed, such as `TIX-1088` for "tix 1088"."""
    return with_hyphen(typed_code(text))
