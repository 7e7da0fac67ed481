"""Contacts: found by their address or made, filled in, changed and deleted; the one way for API, forms, imports and admin."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, NotFound, invalid_choice
from cms_api.forms.models import Submission
from cms_api.webhooks.services import emit, emit_all
from commerce.common.services import BATCH, fill_blanks, find_or_create

from ..models import Contact, MergedAddress
from ..selectors import SHOWN, staff
from ..types import Happening
from .assignment import assign
from .companies import resolve_companies
from .index import forget_contact, index_contacts
from .timeline import record

Values = Mapping[str, Any]

#: What a matched contact gets where it has nothing.
FILLED = (
    "first_name",
    "last_name",
    "phone",
    "job_title",
    "company",
    "street",
    "street2",
    "city",
    "state",
    "postal_code",
    "country",
    "tags",
    "notes",
    "assigned_to",
)
#: What a person or an integration may change.
CHANGED = (*FILLED, "lifecycle", "source")


@dataclass(frozen=True, slots=True)
class Upserted:
    contact: Contact
    created: bool


class Moved(Exception):
    """An address has come to lead to another contact meanwhile."""


def upsert_contact(*, values: Values, source: str, happening: Happening | None = None) -> Upserted:
    """See `upsert_contacts`."""
    return upsert_contacts(rows=[values], source=source, happening=happening)[0]


@transaction.atomic
def upsert_contacts(*, rows: Sequence[Values], source: str, happening: Happening | None = None) -> list[Upserted]:
    """The contact of each row: a new one, or the one who has the address already, of whom only what is blank is filled in.

    `rows` are as `ContactInput` reads them; `source` is where new contacts come from unless a row says so; `happening` is
    written into the timeline of each. Where an address comes twice, the later row fills in what the earlier one left.
    Raises Invalid (`assigned_to`).

    Locks are taken in the order companies, contacts by address, rules. Whoever captures several contacts in one transaction
    hands them over together.
    """
    wanted = _by_address(_stored(rows))
    now = timezone.now()
    addresses, found, made = _find_or_make(wanted, source, now)
    _load_shown(found)
    changed = []
    for email, parts in wanted.items():
        contact = found.get(addresses[email])
        if contact is not None and _fill(contact, parts):
            contact.updated_at = now
            changed.append(contact)
    changed = list(dict.fromkeys(changed))
    Contact.objects.bulk_update(changed, [*FILLED, "updated_at"], batch_size=BATCH)
    index_contacts([*made.values(), *changed])
    both, first = found | made, set(made)
    if happening is not None:
        record(lines=[(contact, happening) for contact in both.values()], at=now)
    emit_all("crm.contact.created", list(made.values()))
    emit_all("crm.contact.updated", changed)
    outcome = []
    for row in rows:
        address = addresses[row["email"]]
        outcome.append(Upserted(both[address], created=address in first))
        first.discard(address)
    return outcome


def _stored(rows: Sequence[Values]) -> list[dict[str, Any]]:
    """The rows with records in place of a company's name and an assignee's id, and without what says nothing."""
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
    """Raises Invalid for somebody who does not look after contacts."""
    found = {user.pk: user for user in staff().filter(pk__in=ids)} if ids else {}
    if ids - set(found):
        raise Invalid({"assigned_to": invalid_choice("assigned_to")})
    return found


def _by_address(rows: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["email"], []).append(row)
    return found


def _find_or_make(
    wanted: Mapping[str, Sequence[dict[str, Any]]], source: str, now: datetime
) -> tuple[dict[str, str], dict[str, Contact], dict[str, Contact]]:
    """The own address of each address's contact; and the contacts, by these, that were there, and that were made."""
    while True:
        addresses = _own_addresses(wanted)
        kept = {own for email, own in addresses.items() if own != email}

        def make(emails: list[str], kept: set[str] = kept) -> list[Contact]:
            if kept & set(emails):
                raise Moved
            made = [_new(email, wanted[email], source, now) for email in emails]
            assign(made)
            return made

        with suppress(Moved):
            return addresses, *find_or_create(Contact, "email", list(addresses.values()), make, _check_merged)


def _check_merged(emails: list[str]) -> None:
    """Looked at again where contacts are made: a merge that was under way has let go of the address by now. Raises Moved."""
    if MergedAddress.objects.filter(email__in=emails).exists():
        raise Moved


def _own_addresses(addresses: Mapping[str, Any]) -> dict[str, str]:
    """Each address with itself, or with that of the contact into whom its own was merged."""
    merged = MergedAddress.objects.filter(email__in=list(addresses)).select_related("contact")
    return {email: email for email in addresses} | {row.email: row.contact.email for row in merged}


def _new(email: str, parts: Sequence[dict[str, Any]], source: str, now: datetime) -> Contact:
    contact = Contact(email=email, created_at=now, updated_at=now)
    _fill(contact, parts, (*FILLED, "source"))
    contact.source = contact.source or source
    contact.lifecycle = next((values["lifecycle"] for values in parts if "lifecycle" in values), contact.lifecycle)
    return contact


def _fill(contact: Contact, parts: Sequence[Values], columns: Sequence[str] = FILLED) -> bool:
    """Whether something of the parts, in their order, was filled in."""
    return bool([name for values in parts for name in fill_blanks(contact, values, columns)])


def _load_shown(found: Mapping[str, Contact]) -> None:
    """What contacts are shown with: the rows were locked without it."""
    ids = [contact.pk for contact in found.values()]
    shown = Contact.objects.select_related(*SHOWN).in_bulk(ids) if ids else {}
    for contact in found.values():
        contact.company, contact.assigned_to = shown[contact.pk].company, shown[contact.pk].assigned_to


@transaction.atomic
def update_contact(*, contact: Contact, values: Values, user: Any = None) -> Contact:
    """Sets what is given, as `ContactInput` reads it. Raises Invalid, also for another address (`email`), and NotFound.

    What changes nothing is told to nobody.
    """
    # Before the contact is locked, as capturing one does it.
    changes = _changes(values)
    held = Contact.objects.select_for_update(of=("self",), no_key=True).select_related(*SHOWN).filter(pk=contact.pk).first()
    if held is None:
        raise NotFound
    if values.get("email", held.email) != held.email:
        raise Invalid({"email": "The email cannot be changed."})
    before = [getattr(held, name) for name in CHANGED]
    for name, value in changes.items():
        setattr(held, name, value)
    if before == [getattr(held, name) for name in CHANGED]:
        return held
    held.updated_at = timezone.now()
    held.save(update_fields=[*CHANGED, "updated_at"])
    index_contacts([held])
    if user is not None:
        log(instance=held, action="wagtail.edit", user=user)
    emit("crm.contact.updated", held)
    return held


def _changes(values: Values) -> dict[str, Any]:
    """What is given, with records in place of names and ids, and as the columns hold what is empty."""
    found = {name: value for name, value in values.items() if name in CHANGED}
    if company := found.get("company"):
        found["company"] = resolve_companies([company]).get(company)
    if assignee := found.get("assigned_to"):
        found["assigned_to"] = _people({assignee})[assignee]
    empty: dict[str, Any] = {"tags": [], "company": None, "assigned_to": None}
    return {name: empty.get(name, "") if value is None else value for name, value in found.items()}


@transaction.atomic
def delete_contact(*, contact: Contact, user: Any = None) -> None:
    """Deletes a contact with its timeline; what was sent in with forms stays, and no longer leads to anybody."""
    # First of all, so that nobody gives it a submission meanwhile.
    list(Contact.objects.select_for_update().filter(pk=contact.pk))
    Submission.objects.filter(contact_id=contact.pk).update(contact_id=None)
    forget_contact(contact)
    log(instance=contact, action="wagtail.delete", user=user, deleted=True)
    contact.delete()
