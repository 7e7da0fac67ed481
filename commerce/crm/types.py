"""Identity of companies and people, and kinds of activities. No database access."""

from collections.abc import Sequence
from dataclasses import dataclass

from cleanco import basename
from django.db.models import TextChoices

from cms_api.text.search import fold

MAX_COMPANY = 200
MAX_NOTES = 20_000
MAX_SOURCE = 100
MAX_SUMMARY = 255


class Lifecycle(TextChoices):
    LEAD = "lead"
    PROSPECT = "prospect"
    CUSTOMER = "customer"
    PARTNER = "partner"
    INACTIVE = "inactive"


class ActivityKind(TextChoices):
    """The kind of a timeline entry."""

    NOTE = "note"
    FORM = "form"
    MAIL = "mail"
    ORDER = "order"
    BOOKING = "booking"
    INVOICE = "invoice"
    DONATION = "donation"
    TICKET = "ticket"
    SUPPORT = "support", "Help desk"
    PROJECT = "project"
    SUBSCRIPTION = "subscription"
    MEMBERSHIP = "membership"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class NewActivity:
    """A timeline entry, as described by other modules.

    `reference` names the related record, such as `order:318`; a contact gets one entry per kind and reference. `link` is
    the record's admin path, without the host.
    """

    kind: ActivityKind
    summary: str
    reference: str = ""
    link: str = ""


def company_key(name: str) -> str:
    """Return the name without case, accents, punctuation and legal form, which identifies a company.

    If a name is nothing but a legal form, that is kept.
    """
    key = _plain(name)
    while (shorter := _plain(basename(key, prefix=False, middle=False, suffix=True))) not in {key, ""}:
        key = shorter
    return " ".join(key.replace("/", " ").split())[:MAX_COMPANY].strip()


def _plain(name: str) -> str:
    """Remove insignificant characters; legal forms are written with dots and slashes."""
    kept = "".join(character if character.isalnum() or character in "&+./" else " " for character in fold(name))
    return " ".join(kept.split()).strip(" ./")


def country_key(country: str) -> str:
    """Return the key by which rules compare countries."""
    return fold(country.strip())


def next_in_rotation(team: Sequence[int], last: int) -> int:
    """Return the id after `last` in a team of ids in ascending order, wrapping around."""
    return next((member for member in team if member > last), team[0])
