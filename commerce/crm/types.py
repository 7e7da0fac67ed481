"""How companies and people are told apart, and what can happen with a contact: rules that need no database."""

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
    """What an entry of the timeline is about."""

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
    """An entry for somebody's timeline, as other modules describe it.

    `reference` names the record it is about, such as `order:318`; a contact gets one entry for each kind and reference. `link`
    is the record's address in the admin, without the host.
    """

    kind: ActivityKind
    summary: str
    reference: str = ""
    link: str = ""


def company_key(name: str) -> str:
    """What a company is recognised by: its name without case, accents, punctuation and legal form.

    A name that is nothing but a legal form stands for itself.
    """
    key = _plain(name)
    while (shorter := _plain(basename(key, prefix=False, middle=False, suffix=True))) not in {key, ""}:
        key = shorter
    return " ".join(key.replace("/", " ").split())[:MAX_COMPANY].strip()


def _plain(name: str) -> str:
    """Without what tells nothing; legal forms are known with dots and strokes."""
    kept = "".join(character if character.isalnum() or character in "&+./" else " " for character in fold(name))
    return " ".join(kept.split()).strip(" ./")


def country_key(country: str) -> str:
    """What rules compare countries by."""
    return fold(country.strip())


def turn_after(team: Sequence[int], last: int) -> int:
    """Whose turn it is in a team of ids in rising order, after whoever had the last one; the first one's after the last."""
    return next((member for member in team if member > last), team[0])
