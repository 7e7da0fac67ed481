"""The fields of contacts, identity of companies and people, and kinds of activities. No database access."""

from collections.abc import Sequence
from dataclasses import dataclass

from cleanco import basename
from django.db.models import TextChoices

from cms_api.text.search import fold
from commerce.common.types import MAX_LINE, MAX_NAME, MAX_PHONE

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


#: HubSpot's names of stages, by letters alone, as its exports and its API spell them differently.
_HUBSPOT_STAGES = {
    "subscriber": Lifecycle.LEAD,
    "marketingqualifiedlead": Lifecycle.LEAD,
    "salesqualifiedlead": Lifecycle.PROSPECT,
    "opportunity": Lifecycle.PROSPECT,
    "evangelist": Lifecycle.PARTNER,
    "other": Lifecycle.LEAD,
}


def read_lifecycle(text: str) -> str:
    """Return the lifecycle that a cell of an import names, or the text in lower case if it is none."""
    name = text.strip().lower()
    return _HUBSPOT_STAGES.get("".join(filter(str.isalpha, name)), name)


@dataclass(frozen=True, slots=True)
class ContactField:
    """A field of contacts that people and integrations write.

    The API, captured forms, CSV files, merging and the admin derive what they do with a line of text from its entry here.
    Values of another kind are converted where they are read and written.
    """

    name: str
    label: str
    #: The maximum length of a line of text.
    max_length: int = 0
    #: Its value in the API's example of a contact.
    example: str = ""
    #: Keys of form fields that it is captured from, first match first; none if empty.
    captured_from: tuple[str, ...] = ()
    #: Whether upserts and merges fill it in where it is blank.
    fills: bool = True


EMAIL = ContactField("email", "Email", fills=False)
NAMES = (
    ContactField("first_name", "First name", MAX_NAME, captured_from=("first_name", "firstname", "given_name")),
    ContactField("last_name", "Last name", MAX_NAME, captured_from=("last_name", "lastname", "family_name", "surname")),
)
#: Lines of text besides names and address. A new one needs an entry here, a column in `models`, and one in the import.
DETAILS = (
    ContactField("phone", "Phone", MAX_PHONE, example="+1 802 555 0142"),
    ContactField("job_title", "Job title", MAX_LINE, example="Owner", captured_from=("job_title", "position")),
)
COMPANY = ContactField(
    "company", "Company", MAX_COMPANY, captured_from=("company", "company_name", "organisation", "organization")
)
LIFECYCLE = ContactField("lifecycle", "Lifecycle", fills=False)
ADDRESS = (
    ContactField("street", "Street", MAX_LINE, captured_from=("street", "address")),
    ContactField("street2", "Street, line 2", MAX_LINE, captured_from=("street2",)),
    ContactField("city", "City", MAX_NAME, captured_from=("city", "town")),
    ContactField("state", "State or region", MAX_NAME, captured_from=("state", "region")),
    ContactField("postal_code", "Postal code", 30, captured_from=("postal_code", "postcode", "zip")),
    ContactField("country", "Country", MAX_NAME, captured_from=("country",)),
)
TAGS = ContactField("tags", "Tags")
NOTES = ContactField("notes", "Notes")
SOURCE = ContactField("source", "Source", MAX_SOURCE, fills=False)
ASSIGNED_TO = ContactField("assigned_to", "Owner")

FIELDS = (EMAIL, *NAMES, *DETAILS, COMPANY, LIFECYCLE, *ADDRESS, TAGS, NOTES, SOURCE, ASSIGNED_TO)


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
