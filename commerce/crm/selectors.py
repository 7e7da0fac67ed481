"""Reads of contacts and of who may look after them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.text.search import fold
from commerce.common.types import email_key

from .models import AssignmentRule, Contact, MergedAddress
from .types import turn_after

#: What a contact is shown with.
SHOWN = ("company", "assigned_to")

#: Contacts among which duplicates are looked for: those that were changed last.
LOOKED_AT = 100_000
_NO_DIGIT = re.compile(r"\D")
#: Shorter telephone numbers are extensions, and say nothing of whose they are.
MIN_DIGITS = 7


class Duplicates(NamedTuple):
    """Contacts, by id and the last changed first, that may be one person, and what they have in common."""

    ids: tuple[int, ...]
    common: tuple[str, ...]


def contacts(*, email: str | None = None, lifecycle: str | None = None) -> QuerySet[Contact]:
    found = Contact.objects.select_related(*SHOWN)
    if email:
        found = found.filter(email=email_key(email))
    if lifecycle:
        found = found.filter(lifecycle=lifecycle)
    return found


def find_contacts(emails: Iterable[str]) -> dict[str, Contact]:
    """The contacts of these addresses by `email_key`, be it their own or that of a contact merged into them.

    Called while contacts are locked, unless the answer may be outdated at once.
    """
    addresses = {email_key(email) for email in emails}
    own = {contact.email: contact for contact in Contact.objects.filter(email__in=addresses)}
    merged = MergedAddress.objects.filter(email__in=addresses).select_related("contact")
    return {row.email: row.contact for row in merged} | own


def staff() -> QuerySet[User]:
    """Those who may look after contacts."""
    users: Any = get_user_model()._default_manager
    backend = "django.contrib.auth.backends.ModelBackend"
    return users.with_perm("crm.change_contact", backend=backend).order_by("pk")


def called(user: User | None) -> dict[str, Any] | None:
    """A member of staff by id and name."""
    return None if user is None else {"id": user.pk, "name": user.get_full_name() or user.get_username()}


def next_turns(rules: Collection[AssignmentRule]) -> dict[int, User | None]:
    """Who gets the next contact of each rule, by its id; None where nobody of its people may look after contacts."""
    may = {user.pk: user for user in staff()}
    return {
        rule.pk: may[turn_after(team, rule.last_assignee_id)]
        if (team := sorted(user.pk for user in rule.assignees.all() if user.pk in may))
        else None
        for rule in rules
    }


def possible_duplicates() -> list[Duplicates]:
    """Contacts with the same first and last name at the same company (or none), or with the same telephone number.

    Names are compared without case and accents, numbers by their digits. One statement, over LOOKED_AT contacts at most.
    """
    by_name: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    by_phone: dict[str, list[int]] = defaultdict(list)
    rows = Contact.objects.order_by("-updated_at", "-id").values_list("pk", "first_name", "last_name", "company_id", "phone")
    for pk, first, last, company, phone in rows[:LOOKED_AT].iterator(chunk_size=5000):
        if first and last:
            by_name[fold(f"{first} {last}"), company].append(pk)
        if phone and len(digits := _NO_DIGIT.sub("", phone)) >= MIN_DIGITS:
            by_phone[digits].append(pk)
    found: dict[tuple[int, ...], tuple[str, ...]] = {}
    for common, groups in (("name and company", by_name), ("telephone number", by_phone)):
        for ids in groups.values():
            if len(ids) > 1:
                found[tuple(ids)] = (*found.get(tuple(ids), ()), common)
    return [Duplicates(ids, common) for ids, common in found.items()]


def admin_url(contact_id: int) -> str:
    """A contact's page in the admin, without the host."""
    return reverse("crm_contacts:inspect", args=[contact_id])
