"""Creates, fills in and changes contacts, for the API, forms, imports and the admin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.locks import lock_row
from cms_api.flags.selectors import is_on
from cms_api.webhooks.services import emit, emit_all
from commerce.common.services import BATCH, bulk_get_or_create, fill_blanks
from commerce.common.types import split_name

from ..models import Contact, MergedAddress
from ..selectors import SHOWN, staff
from ..types import EMAIL, FIELDS, NewActivity
from .assignment import assign
from .companies import resolve_companies
from .index import index_contacts
from .locking import lock_contacts_for_share
from .timeline import write_activities

Values = Mapping[str, Any]

#: Columns filled in on existing contacts if blank.
FILLED = tuple(field.name for field in FIELDS if field.fills)
#: Columns that people and integrations may change.
CHANGED = tuple(field.name for field in FIELDS if field != EMAIL)


@dataclass(frozen=True, slots=True)
class Upserted:
    contact: Contact
    created: bool
    #: Whether an existing one was changed.
    changed: bool = False


def upsert_contact(*, values: Values, source: str, activity: NewActivity | None = None) -> Upserted:
    """See `upsert_contacts`."""
    return upsert_contacts(rows=[values], source=source, activity=activity)[0]


def record_customer(*, email: str, name: str = "", source: str, activity: NewActivity | None = None, **known: str | None) -> None:
    """Create or fill in the contact of a customer while the CRM is on, and record an activity in the timeline.

    `known` are other fields of `ContactInput`; those that are blank are left as they are.
    """
    if not is_on("crm") or not email:
        return
    first, last = split_name(name)
    values = {"email": email, "first_name": first, "last_name": last, **known}
    upsert_contact(values={key: value for key, value in values.items() if value}, source=source, activity=activity)


@transaction.atomic
def upsert_contacts(*, rows: Sequence[Values], source: str, activity: NewActivity | None = None) -> list[Upserted]:
    """Create the contact of each row, or fill in the blank fields of the contact its address leads to.

    `rows` are as read by `ContactInput`; `source` is the default source of new contacts; `activity` is recorded in each
    timeline. If an address comes twice, the later row fills in what the earlier one left blank. Raises Invalid
    (`assigned_to`).

    Locks companies, contacts by address, and rules, in this order. A transaction with several contacts must pass them all
    at once.
    """
    lock_contacts_for_share()
    own = _own_addresses([row["email"] for row in rows])
    wanted: dict[str, list[dict[str, Any]]] = {}
    for values in _resolve_records(rows):
        wanted.setdefault(own[values["email"]], []).append(values)
    now = timezone.now()

    def make(emails: list[str]) -> list[Contact]:
        contacts = [_new(email, wanted[email], source, now) for email in emails]
        assign(contacts)
        return contacts

    found, made = bulk_get_or_create(Contact, "email", list(wanted), make)
    # The rows were locked without their relations.
    prefetch_related_objects(list(found.values()), *SHOWN)
    changed = [contact for email, contact in found.items() if _fill(contact, wanted[email])]
    for contact in changed:
        contact.updated_at = now
    Contact.objects.bulk_update(changed, [*FILLED, "updated_at"], batch_size=BATCH)
    index_contacts([*made.values(), *changed])
    both, first = found | made, set(made)
    if activity is not None:
        write_activities([(contact, activity) for contact in both.values()], at=now)
    emit_all("crm.contact.created", list(made.values()))
    emit_all("crm.contact.updated", changed)
    outcome, filled = [], {contact.email for contact in changed}
    for row in rows:
        email = own[row["email"]]
        outcome.append(Upserted(both[email], created=email in first, changed=email in filled))
        first.discard(email)
    return outcome


def _own_addresses(emails: Sequence[str]) -> dict[str, str]:
    """Map each address to itself, or to the address of the contact it was merged into."""
    merged = MergedAddress.objects.filter(email__in=emails).values_list("email", "contact__email")
    return {email: email for email in emails} | dict(merged)


def _resolve_records(rows: Sequence[Values]) -> list[dict[str, Any]]:
    """Return the rows with records for company names and assignee ids, without blank values."""
    companies = resolve_companies([row["company"] for row in rows if row.get("company")])
    people = _people({row["assigned_to"] for row in rows if row.get("assigned_to")})
    kept = [{key: value for key, value in row.items() if value not in (None, "", [])} for row in rows]
    for row in kept:
        if "company" in row:
            row["company"] = companies.get(row["company"])
        if "assigned_to" in row:
            row["assigned_to"] = people[row["assigned_to"]]
    return kept


def _people(ids: set[int]) -> dict[int, Any]:
    """Return staff members by id. Raises Invalid if one may not be assigned contacts."""
    found = {user.pk: user for user in staff().filter(pk__in=ids)} if ids else {}
    if ids - set(found):
        raise Invalid({"assigned_to": invalid_choice("assigned_to")})
    return found


def _new(email: str, parts: Sequence[dict[str, Any]], source: str, now: datetime) -> Contact:
    contact = Contact(email=email, created_at=now, updated_at=now)
    _fill(contact, parts, (*FILLED, "source"))
    contact.source = contact.source or source
    contact.lifecycle = next((values["lifecycle"] for values in parts if "lifecycle" in values), contact.lifecycle)
    return contact


def _fill(contact: Contact, parts: Sequence[Values], columns: Sequence[str] = FILLED) -> bool:
    """Fill in blank columns from the parts in order; return whether anything changed."""
    return bool([name for values in parts for name in fill_blanks(contact, values, columns)])


@transaction.atomic
def update_contact(*, contact: Contact, values: Values, user: Any = None) -> Contact:
    """Update a contact with the given values, as read by `ContactInput`.

    Emits no event if nothing changes. Raises Invalid, also for a different address (`email`), and NotFound.
    """
    lock_contacts_for_share()
    # This locks companies, which must come before locking the contact.
    changes = _changes(values)
    locked = lock_row(Contact.objects.select_related(*SHOWN).filter(pk=contact.pk))
    if values.get("email", locked.email) != locked.email:
        raise Invalid({"email": "The email cannot be changed."})
    before = [getattr(locked, name) for name in CHANGED]
    for name, value in changes.items():
        setattr(locked, name, value)
    if before == [getattr(locked, name) for name in CHANGED]:
        return locked
    locked.updated_at = timezone.now()
    locked.save(update_fields=[*CHANGED, "updated_at"])
    index_contacts([locked])
    if user is not None:
        log(instance=locked, action="wagtail.edit", user=user)
    emit("crm.contact.updated", locked)
    return locked


def _changes(values: Values) -> dict[str, Any]:
    """Return the given values with records for names and ids, and nulls in each column's empty form."""
    found = {name: value for name, value in values.items() if name in CHANGED}
    if company := found.get("company"):
        found["company"] = resolve_companies([company]).get(company)
    if assignee := found.get("assigned_to"):
        found["assigned_to"] = _people({assignee})[assignee]
    empty: dict[str, Any] = {"tags": [], "company": None, "assigned_to": None}
    return {name: empty.get(name, "") if value is None else value for name, value in found.items()}
