"""Names, addresses of mail and tags, as every business module reads them: rules that need no database."""

from collections.abc import Iterable

from cms_api.core.errors import Invalid
from cms_api.fields.texts import is_email

MAX_EMAIL = 254
MAX_NAME = 100
MAX_LINE = 200
MAX_PHONE = 50
MAX_TAG = 50
MAX_TAGS = 50


def email_key(value: str) -> str:
    """The one spelling of an address that a record is recognised by, unchecked: in lower case, its domain as people read it.

    A domain with letters beyond ASCII has many spellings (`xn--mnchen-3ya.de`, or an ü of two characters) that all lead to one
    mailbox.
    """
    address = value.strip().lower()
    name, at, domain = address.rpartition("@")
    if len(address) > MAX_EMAIL or (domain.isascii() and "xn--" not in domain):
        return address
    try:
        return name + at + domain.encode("idna").decode("idna")
    except UnicodeError:
        return address


def read_email(value: str, path: str = "email") -> str:
    """`email_key` of what is an address. Raises Invalid."""
    address = email_key(value)
    # Letters such as the Kelvin sign have an ASCII letter as their lower case: before that, the name must be ASCII.
    if not value.strip().rpartition("@")[0].isascii() or not is_email(address):
        raise Invalid({path: f"The {path} must be a valid email address."})
    return address


def full_name(first: str, last: str) -> str:
    return f"{first} {last}".strip()


def split_name(name: str) -> tuple[str, str]:
    """First and last name of somebody who wrote both into one line: the first word, and what follows it."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first[:MAX_NAME], last[:MAX_NAME]


def split_tags(text: str) -> list[str]:
    """The tags of a line that somebody wrote, between semicolons or commas."""
    return [tag for part in text.replace(";", ",").split(",") if (tag := part.strip())]


def join_tags(*several: Iterable[str]) -> list[str]:
    """The tags of all, as `unique_tags` has them, as many as a record may have."""
    return unique_tags(tag for tags in several for tag in tags)[:MAX_TAGS]


def unique_tags(tags: Iterable[str]) -> list[str]:
    """Each tag once whatever its case, in the order and spelling in which they first come."""
    found: dict[str, str] = {}
    for tag in tags:
        found.setdefault(tag.casefold(), tag)
    return list(found.values())
