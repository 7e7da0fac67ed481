"""Codes and numbers as people type them, or paste them from emails and documents."""

import re
import unicodedata

#: A series and a number, with or without the hyphen between them.
_NUMBERED = re.compile(r"([A-Z]+)-?([0-9]+)", re.ASCII)
_MINUS = "\N{MINUS SIGN}"


def typed_code(text: str) -> str:
    """Return a code in the spelling in which codes are compared: upper case, without spaces and invisible characters.

    Full-width letters are letters, and dashes of every kind hyphens. Does not validate.
    """
    typed = []
    letters = "".join(map(_upper, unicodedata.normalize("NFKC", text)))
    # Once more, because an upper-case letter may have another form.
    for each in unicodedata.normalize("NFKC", letters):
        category = unicodedata.category(each)
        if category == "Pd" or each == _MINUS:
            typed.append("-")
        elif not (category in {"Cf", "Cs"} or category[0] == "Z" or each.isspace()):
            typed.append(each)
    return "".join(typed)


def _upper(letter: str) -> str:
    """Return a letter in upper case, but for those that would become another letter of ASCII, such as the dotless i."""
    upper = letter.upper()
    return letter if upper.isascii() and not letter.isascii() else upper


def number_key(text: str) -> str:
    """Return the number of a record that somebody typed, such as `TIX-1088` for "tix 1088"."""
    key = typed_code(text)
    found = _NUMBERED.fullmatch(key)
    return f"{found[1]}-{found[2]}" if found else key
