"""Mailing lists and groups that forward emails of people to the help desk, as the settings name them."""

import re
from collections.abc import Collection, Sequence

from .automatic import ReadHeaders

_ID = re.compile(r"<([^<>]*)>\s*$")
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w.-]{1,255}")
#: Headers with the address of the list.
_ADDRESSES = ("list-post", "x-mailing-list", "mailing-list", "x-beenthere")
#: Some groups say nothing but `Precedence: list`; their address is that of a recipient.
_RECIPIENTS = ("delivered-to", "x-original-to", "to", "cc")
#: Headers with the author, where a list has put its own address into From. Mailman has nothing but the last.
AUTHORS = ("x-original-from", "x-original-sender", "reply-to")
_VIA = re.compile(r"^['\"]?(.*?)['\"]?\s+(?:via|über|par|vía)\s.*$", re.IGNORECASE | re.DOTALL)


def list_key(name: str) -> str:
    """Return what an id and an address of a list have in common: `support.example.com` is also `support@example.com`."""
    found = _ID.search(name)
    return (found[1] if found else name).strip().lower().replace("@", ".")


def trusted_keys(headers: ReadHeaders, trusted: Collection[str]) -> frozenset[str]:
    """Return the keys of the trusted list that an email came through; none if it came through another one, or none.

    `trusted` are ids and addresses of lists.
    """
    known = frozenset(filter(None, map(list_key, trusted)))
    ids = {list_key(each) for each in headers.all("list-id")}
    if known and ids and ids <= known:
        return known
    names = _ADDRESSES if ids else (*_ADDRESSES, *_RECIPIENTS)
    found = {list_key(each) for name in names for value in headers.all(name) for each in _ADDRESS.findall(value)}
    return known if len(ids) <= 1 and known & found else frozenset()


def list_mistake(word: str) -> str:
    """Return what is wrong with a list of the settings."""
    return "" if "." in list_key(word).strip(".") else f"“{word}” is neither the address of a list nor its List-Id."


def without_via(names: Sequence[str]) -> str:
    """Return the first name that is given, without the list that put itself into it: `'Dana Reyes' via Support`."""
    name = next(filter(None, names), "")
    found = _VIA.match(name)
    return found[1] if found else name
