"""Rules for names, email addresses and tags, shared by all business modules. No database access."""

import re
from collections.abc import Iterable

from cms_api.core.errors import Invalid
from cms_api.fields.texts import is_email
from cms_api.text.hosts import unicode_host

MAX_EMAIL = 254
MAX_NAME = 100
MAX_LINE = 200
MAX_PHONE = 50
MAX_SLUG = 100
MAX_TAG = 50
MAX_TAGS = 50
MAX_CATEGORY_DESCRIPTION = 1000
MAX_POSITION = 10_000


def email_key(value: str) -> str:
    """Return the canonical spelling of an address: lower case, with its domain in Unicode. Does not validate.

    An internationalized domain has many spellings (`xn--mnchen-3ya.de`, or an ü of two characters) that all reach the same
    mailbox. `straße.de` is another domain than `strasse.de`.
    """
    address = value.strip().lower()
    name, at, domain = address.rpartition("@")
    if len(address) > MAX_EMAIL or (domain.isascii() and "xn--" not in domain):
        return address
    try:
        return name + at + unicode_host(domain)
    except ValueError:
        return address


def read_email(value: str, path: str = "email") -> str:
    """Return `email_key` of a valid address. Raises Invalid."""
    address = email_key(value)
    # Some non-ASCII letters, such as the Kelvin sign, lower-case to ASCII, so the local part is checked before that.
    if not value.strip().rpartition("@")[0].isascii() or not is_email(address):
        raise Invalid({path: f"The {path} must be a valid email address."})
    return address


def full_name(first: str, last: str) -> str:
    return f"{first} {last}".strip()


def split_name(name: str) -> tuple[str, str]:
    """Split a full name into first and last name: the first word, and the rest."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first[:MAX_NAME], last[:MAX_NAME]


def salutation(name: str) -> str:
    """Return how a person is addressed: by the first name."""
    return split_name(name)[0] or name


#: A tag in quotation marks, as Mailchimp exports it, with doubled ones inside; or a part up to a separator: Google's is ` ::: `.
_TAG = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|((?:(?!:::)[^,;])*+))(?:,|;|:::|\Z)')


def split_tags(text: str) -> list[str]:
    """Split a line of tags at semicolons, commas or triple colons, except in quotation marks."""
    found = (quoted.replace('""', '"') or plain for quoted, plain in _TAG.findall(text))
    return [tag for each in found if (tag := each.strip())]


def join_tags(*several: Iterable[str]) -> list[str]:
    """Merge lists of tags with `unique_tags`, cut to the maximum number per record."""
    return unique_tags(tag for tags in several for tag in tags)[:MAX_TAGS]


def unique_tags(tags: Iterable[str]) -> list[str]:
    """Remove duplicates ignoring case; keep the order and spelling of first occurrences."""
    found: dict[str, str] = {}
    for tag in tags:
        found.setdefault(tag.casefold(), tag)
    return list(found.values())
