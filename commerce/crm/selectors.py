"""Reads of contacts and of who may look after them."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet

from cms_api.core.search import matching
from commerce.common.types import email_key

from .models import Contact, MergedAddress

#: What a contact is shown with.
SHOWN = ("company", "assigned_to")


def contacts(*, search: str | None = None, email: str | None = None, lifecycle: str | None = None) -> QuerySet[Contact]:
    """Contacts; `search` finds the beginnings of words in name, address of mail, telephone number and company."""
    found = Contact.objects.select_related(*SHOWN)
    if email:
        found = found.filter(email=email_key(email))
    if lifecycle:
        found = found.filter(lifecycle=lifecycle)
    return matching(found, search) if search else found


def find_contacts(emails: Iterable[str]) -> dict[str, Contact]:
    """Whoever has these addresses, by `email_key`; also those that were merged into somebody."""
    addresses = {email_key(email) for email in emails}
    merged = MergedAddress.objects.filter(email__in=addresses).select_related("contact")
    found = {row.email: row.contact for row in merged}
    return found | {contact.email: contact for contact in Contact.objects.filter(email__in=addresses)}


def staff() -> QuerySet[User]:
    """Those who may look after contacts."""
    users: Any = get_user_model()._default_manager
    backend = "django.contrib.auth.backends.ModelBackend"
    return users.with_perm("crm.change_contact", backend=backend).order_by("pk")


def called(user: User | None) -> dict[str, Any] | None:
    """A member of staff by id and name."""
    return None if user is None else {"id": user.pk, "name": user.get_full_name() or user.get_username()}
