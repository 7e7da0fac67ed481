"""Reads of contacts and assignable staff."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.core.records import filter_given
from cms_api.flags.selectors import is_on
from cms_api.text.keyboards import fold_keyboard
from cms_api.text.search import fold
from commerce.common.types import email_key

from .models import AssignmentRule, Contact, MergedAddress
from .types import next_in_rotation

#: Relations shown with a contact.
SHOWN = ("company", "assigned_to")

#: Maximum number of contacts, most recently changed first, searched for duplicates.
MAX_COMPARED_CONTACTS = 100_000
_NO_DIGIT = re.compile(r"\D")
#: Shorter phone numbers are extensions, which do not identify a person.
MIN_PHONE_DIGITS = 7


class Duplicates(NamedTuple):
    """Ids of contacts that may be duplicates, most recently changed first, and what they have in common."""

    ids: tuple[int, ...]
    common: tuple[str, ...]


def contacts(*, email: str | None = None, lifecycle: str | None = None) -> QuerySet[Contact]:
    found = Contact.objects.select_related(*SHOWN)
    found = filter_given(found, email=email_key(email) if email else None, lifecycle=lifecycle or None)
    return found


def find_contacts(emails: Iterable[str]) -> dict[str, Contact]:
    """Return the contacts with these addresses by `email_key`, following merged addresses.

    Call while contacts are locked, unless a stale answer is acceptable.
    """
    addresses = {email_key(email) for email in emails}
    own = {contact.email: contact for contact in Contact.objects.filter(email__in=addresses)}
    merged = MergedAddress.objects.filter(email__in=addresses).select_related("contact")
    return {row.email: row.contact for row in merged} | own


def contact_page(email: str) -> str:
    """Return the admin path of the contact with an address; empty without one, or while the feature is off."""
    contact = find_contacts([email]).get(email_key(email)) if email and is_on("crm") else None
    return admin_url(contact.pk) if contact else ""


def staff() -> QuerySet[User]:
    """Return the users who may be assigned contacts."""
    users: Any = get_user_model()._default_manager
    backend = "django.contrib.auth.backends.ModelBackend"
    return users.with_perm("crm.change_contact", backend=backend).order_by("pk")


def refer_to_user(user: User | None) -> dict[str, Any] | None:
    """Return a staff member's id and name."""
    return None if user is None else {"id": user.pk, "name": user.get_full_name() or user.get_username()}


def next_assignees(rules: Collection[AssignmentRule]) -> dict[int, User | None]:
    """Return the next assignee of each rule by rule id; None if none of the rule's users may be assigned contacts."""
    may = {user.pk: user for user in staff()}
    return {
        rule.pk: may[next_in_rotation(team, rule.last_assignee_id)]
        if (team := sorted(user.pk for user in rule.assignees.all() if user.pk in may))
        else None
        for rule in rules
    }


def possible_duplicates() -> list[Duplicates]:
    """Return contacts with the same full name at the same company (or none), or with the same phone number.

    Names are compared without case and accents, numbers by their digits. One statement, over at most MAX_COMPARED_CONTACTS.
    """
    by_name: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    by_phone: dict[str, list[int]] = defaultdict(list)
    rows = Contact.objects.order_by("-updated_at", "-id").values_list("pk", "first_name", "last_name", "company_id", "phone")
    for pk, first, last, company, phone in rows[:MAX_COMPARED_CONTACTS].iterator(chunk_size=5000):
        if first and last:
            by_name[fold(f"{first} {last}"), company].append(pk)
        if phone and len(digits := _NO_DIGIT.sub("", fold_keyboard(phone))) >= MIN_PHONE_DIGITS:
            by_phone[digits].append(pk)
    found: dict[tuple[int, ...], tuple[str, ...]] = {}
    for common, groups in (("name and company", by_name), ("phone number", by_phone)):
        for ids in groups.values():
            if len(ids) > 1:
                found[tuple(ids)] = (*found.get(tuple(ids), ()), common)
    return [Duplicates(ids, common) for ids, common in found.items()]


def admin_url(contact_id: int) -> str:
    """Return a contact's admin path, without the host."""
    return reverse("crm_contacts:inspect", args=[contact_id])
