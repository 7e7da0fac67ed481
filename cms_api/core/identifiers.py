"""How addresses, messages and people name records: by an id, a number such as `INV-1001`, a slug, or a random key.

Path converters (`core.converters`) and lookups read them by these.
"""

import re
from uuid import UUID

#: The largest id that a database can have.
MAX_ID = 2**63 - 1

#: Regular expressions for parts of a path.
ID_PATTERN = "[1-9][0-9]{0,18}"
TYPE_SLUG_PATTERN = "[a-z0-9-]+"
ACCOUNT_PATTERN = "[0-9A-Za-z]+"
#: An id, slug, number, code or email address.
REFERENCE_PATTERN = "[^/]+"

#: The refusal of a slug that could be taken for an id.
SLUG_OF_DIGITS = "The slug must contain a character that is not a digit."

_ID = re.compile(ID_PATTERN)
#: A key in hexadecimal; a primary key is shorter.
_KEY = re.compile("[0-9a-f]{32}")
_SLUG = re.compile("[a-z0-9]+(?:[-_][a-z0-9]+)*")
#: A series and a number, with or without the hyphen between them.
_NUMBER = re.compile("([A-Z]+)-?([0-9]+)")


def read_id(text: str) -> int | None:
    """Return the id that a text is: a positive integer of 64 bits, in ASCII digits without a leading zero."""
    return int(text) if _ID.fullmatch(text) and int(text) <= MAX_ID else None


def read_key(text: str) -> UUID | None:
    """Return the random key that a text is, in hexadecimal."""
    return UUID(hex=text) if _KEY.fullmatch(text) else None


def is_slug(text: str) -> bool:
    """Return whether a text is a slug of content: lower-case words of ASCII, joined by hyphens or underscores."""
    return _SLUG.fullmatch(text) is not None


def with_letters(slug: str, kind: str) -> str:
    """Return a derived slug, after the word for its kind if it has digits alone: these would be taken for an id."""
    return f"{kind}-{slug}" if slug.isdecimal() else slug


def with_hyphen(number: str) -> str:
    """Return the number of a record, in upper case, with the hyphen that people leave out; other text as it is."""
    found = _NUMBER.fullmatch(number)
    return f"{found[1]}-{found[2]}" if found else number
