"""Names of people, which mail programs must not turn into links: a name may be mailed to somebody whom the sender has chosen."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from cms_api.core.errors import Invalid
from cms_api.text.keyboards import drop_invisible

from .base import LINE_LIMIT, FieldPath, read_line

WEB_ADDRESS = "Enter a name without a web address."

#: A scheme, a disguised one, a host that begins with www, or an email address.
_ADDRESS = re.compile(r"://|\bh(tt|xx)ps?\b|\bwww\.|\bmailto:|\w@\w[\w-]*\.\w|\b\d+(\.\d+){3}\b", re.IGNORECASE)
#: A possible host, of any characters but spaces and most of ASCII's punctuation, and the character that follows it.
_RUN = re.compile(r"([^\s!-,/:-@\[-^`{-~]+)([/:?#]?)")
#: The beginning of what follows a dot, up to a symbol.
_WORD = re.compile(r"[\w-]*")
#: Titles and degrees that are written without a space after the dot, such as St.John.
_TITLES = frozenset(
    "capt col dent dipl dr dra fr gen habil hon ing jr jur lt maj mag med mme mlle mr mrs ms mx nat ph phil prof rer rev sc sgt "  # noqa: SIM905
    "sr sra st sta ste sto theol vet".split()
)
#: Domains that are refused even after an initial or a title; other words are surnames there, as in J.Smith.
_COMMON = frozenset(
    "ai app biz cc cn co com de dev edu eu example fr gov info io link me net online org ru shop site to top uk us xyz".split()  # noqa: SIM905
)
#: Characters that programs read as a dot.
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61\u2024", "."))


def has_link(text: str) -> bool:
    """Return whether a part of a text is a link to everybody: an address with its scheme or `www`, or of an email."""
    return bool(_ADDRESS.search(_as_seen(text)))


def has_web_address(text: str) -> bool:
    """Return whether mail programs would make a link of a part of a text: a web or email address, or a bare host."""
    seen = _as_seen(text)
    return bool(_ADDRESS.search(seen)) or any(_has_host(*found.groups()) for found in _RUN.finditer(seen))


def _as_seen(text: str) -> str:
    return unicodedata.normalize("NFKC", drop_invisible(text).translate(_DOTS))


def _has_host(run: str, rest: str) -> bool:
    """Return whether some of the words that dots join are a host: the last one of them could be a top-level domain.

    The words before a surname are initials or titles, as in `J.P.Morgan` and `Prof.Dr.Sand`.
    """
    is_title = True
    for label, following in pairwise(run.split(".")):
        found = _WORD.match(following)
        last = found[0].strip("-") if found else ""
        is_initial = not label or (len(label) == 1 and label.isalpha())
        is_title = is_title and (is_initial or label.lower() in _TITLES)
        if label.strip("-") and _is_domain(last) and (rest or not is_title or not _is_surname(last, label)):
            return True
    return False


def _is_domain(word: str) -> bool:
    return len(word) > 1 and (word.isalpha() or word.lower().startswith("xn--"))


def _is_surname(word: str, label: str) -> bool:
    """Return whether a word after an initial or a title is a name: no common domain, and after an initial not in capitals."""
    if word.lower() in _COMMON:
        return False
    return label.lower() in _TITLES or (word[0].isupper() and not word.isupper())


def read_name(value: object, where: FieldPath, limit: int = LINE_LIMIT) -> str:
    """Return the name of a person, empty if there is none. Raises Invalid."""
    name = read_line(value, where, limit) or ""
    if has_web_address(name):
        raise Invalid({where.path: WEB_ADDRESS})
    return name
