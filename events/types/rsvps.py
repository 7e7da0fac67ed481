"""Validation and statuses of RSVPs."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import FieldPath, read_line
from cms_api.fields.names import read_name
from cms_api.fields.texts import EMAIL_LIMIT
from cms_api.mail.types import one_line, read_address

#: Maximum party size.
MAX_PARTY = 20
MAX_NAME = 100

_NUMBER = re.compile(r"\+?0*([0-9]{1,4})", re.ASCII)
_START = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?)?", re.ASCII)

#: Maximum number of places at a date.
MAX_PLACES = 100_000

NOT_AN_EMAIL = "The email field must be a valid email address."
NOT_A_PARTY = f"The party size field must be a whole number from 1 to {MAX_PARTY}."
NOT_PLACES = f"The places field must be a whole number from 0 to {MAX_PLACES}."


class RsvpStatus(TextChoices):
    GOING = "going", "Going"
    #: There was no place; confirmed when there is one.
    WAITING = "waiting", "Waiting list"
    CANCELLED = "cancelled", "Cancelled"


#: The statuses of people who want to come.
ACTIVE = (RsvpStatus.GOING, RsvpStatus.WAITING)


class Notice(TextChoices):
    """The subject of an email that the guest did not cause."""

    RSVP = "rsvp", "The RSVP"
    MOVED = "moved", "The date has changed"
    CANCELLED = "cancelled", "The date is cancelled"


@dataclass(frozen=True, slots=True)
class Answer:
    """A validated RSVP."""

    name: str
    email: str
    #: The same for all spellings of the address.
    email_key: str
    party_size: int


def read_answer(errors: ErrorCollector, *, name: Any, email: Any, party_size: Any) -> Answer | None:
    """Validate an RSVP. On errors return None and add them to the collector: `name`, `email`, `party_size`."""

    def read(reader: Callable[[Any], Any], value: Any) -> Any:
        with errors.under():
            return reader(value)

    found = read(_read_name, name), read(_read_email, email), read(_read_party, party_size)
    if None in found:
        return None
    address, key = found[1]
    return Answer(found[0], address, key, found[2])


def _read_name(value: Any) -> str:
    name = read_name(value, FieldPath("name", "name"), MAX_NAME)
    name = one_line(name, "name") if name else ""
    if not name:
        raise Invalid({"name": required_message("name")})
    return name


def _read_email(value: Any) -> tuple[str, str]:
    """Return the lower-case address, and the normalized form by which RSVPs are told apart."""
    text = read_line(value, FieldPath("email", "email"), EMAIL_LIMIT)
    if not text:
        raise Invalid({"email": required_message("email")})
    try:
        found = read_address(text)
        key = found.key
    except (Invalid, UnicodeError):
        raise Invalid({"email": NOT_AN_EMAIL}) from None
    if found.name or "<" in text or max(len(found.address), len(key)) > EMAIL_LIMIT:
        raise Invalid({"email": NOT_AN_EMAIL})
    return found.address, key


def _read_party(value: Any) -> int:
    if value is None or value == "":
        raise Invalid({"party_size": required_message("party_size")})
    written = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    number = int(written[1]) if written else value
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MAX_PARTY:
        raise Invalid({"party_size": NOT_A_PARTY})
    return number


def read_places(value: Any) -> int | None:
    """Validate a number of places; None for an empty value, which means no limit."""
    if value is None or value == "":
        return None
    written = re.fullmatch("[0-9]{1,7}", value.strip(), re.ASCII) if isinstance(value, str) else None
    number = int(written[0]) if written else value
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_PLACES:
        raise Invalid({"places": NOT_PLACES})
    return number


def places_text(left: int) -> str:
    return "Full" if not left else "1 place left" if left == 1 else f"{left} places left"


def as_start(text: str) -> str:
    """Return a local start in its stored format; empty if invalid."""
    found = _START.fullmatch(text.strip())
    if not found:
        return ""
    day, clock, seconds = found.groups()
    return f"{day}T{clock}{seconds or ':00'}" if clock else day
