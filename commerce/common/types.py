"""Names, addresses of mail and tags, as every business module reads them: rules that need no database."""

from collections.abc import Iterable

from cms_api.core.errors import Invalid
from cms_api.core.fields.texts import is_email

MAX_EMAIL = 254
MAX_NAME = 100
MAX_LINE = 200
MAX_PHONE = 50
MAX_TAG = 50
MAX_TAGS = 50


def read_email(value: str, path: str = "email") -> str:
    """The one spelling of an address that a record is recognised by. Raises Invalid."""
    address = value.strip().lower()
    if not is_email(address):
        raise Invalid({path: f"The {path} must be a valid email address."})
    return address


def full_name(first: str, last: str) -> str:
    return f"{first} {last}".strip()


def split_name(name: str) -> tuple[str, str]:
    """First and last name of somebody who wrote both into one line: the first word, and what follows it."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first[:MAX_NAME], last[:MAX_NAME]


def join_tags(*several: Iterable[str]) -> list[str]:
    """The tags of all as `distinct_tags` gives them, as many as a record has at most."""
    return distinct_tags(*several)[:MAX_TAGS]


def distinct_tags(*several: Iterable[str]) -> list[str]:
    """Each tag once whatever its case, in the order and spelling in which they first come."""
    found: dict[str, str] = {}
    for tags in several:
        for tag in tags:
            found.setdefault(tag.casefold(), tag)
    return list(found.values())
