"""Bulk changes and deletion of contacts; each change emits its own event."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid, invalid_choice, required_message
from cms_api.forms.services.submissions import relink_submissions
from cms_api.text.search import forget
from cms_api.webhooks.services import emit_all
from commerce.common.services import BATCH, in_lock_order, log_all
from commerce.common.types import MAX_TAG, MAX_TAGS, join_tags

from ..models import Contact
from ..selectors import SHOWN, staff
from ..types import Lifecycle
from .locking import lock_contacts, lock_contacts_for_share


def assign_contacts(*, contacts: Sequence[Contact], assigned_to: int | None, user: Any = None) -> int:
    """Assign contacts to a staff member by id, or unassign them; return how many changed. Raises Invalid (`assigned_to`)."""
    person = staff().filter(pk=assigned_to).first() if assigned_to is not None else None
    if assigned_to is not None and person is None:
        raise Invalid({"assigned_to": invalid_choice("assigned_to")})

    def give(contact: Contact) -> bool:
        if contact.assigned_to == person:
            return False
        contact.assigned_to = person
        return True

    return _change(contacts, "assigned_to", give, user)


def tag_contacts(*, contacts: Sequence[Contact], tag: str, user: Any = None) -> int:
    """Add a tag to contacts; return how many changed. Contacts with the maximum number of tags are skipped.

    Raises Invalid (`tag`).
    """
    tag = " ".join(tag.split())
    if not tag:
        raise Invalid({"tag": required_message("tag")})
    if len(tag) > MAX_TAG:
        raise Invalid({"tag": f"The tag may not be greater than {MAX_TAG} characters."})

    def put(contact: Contact) -> bool:
        tags = join_tags(contact.tags, [tag])
        if len(tags) == len(contact.tags) or len(contact.tags) >= MAX_TAGS:
            return False
        contact.tags = tags
        return True

    return _change(contacts, "tags", put, user)


def set_lifecycle(*, contacts: Sequence[Contact], lifecycle: str, user: Any = None) -> int:
    """Set the lifecycle of contacts; return how many changed. Raises Invalid (`lifecycle`)."""
    if lifecycle not in Lifecycle.values:
        raise Invalid({"lifecycle": invalid_choice("lifecycle", Lifecycle.values)})

    def move(contact: Contact) -> bool:
        if contact.lifecycle == lifecycle:
            return False
        contact.lifecycle = lifecycle
        return True

    return _change(contacts, "lifecycle", move, user)


@transaction.atomic
def _change(contacts: Sequence[Contact], column: str, change: Callable[[Contact], bool], user: Any) -> int:
    """Change one column, which must not be part of the search entry; return how many contacts changed.

    `change` modifies a contact and returns whether it did.
    """
    lock_contacts_for_share()
    count = 0
    for locked in _lock(contacts):
        changed = [contact for contact in locked if change(contact)]
        for contact in changed:
            contact.updated_at = timezone.now()
        log_all(changed, "wagtail.edit", user=user)
        Contact.objects.bulk_update(changed, [column, "updated_at"])
        emit_all("crm.contact.updated", changed)
        count += len(changed)
    return count


@transaction.atomic
def delete_contacts(*, contacts: Sequence[Contact], user: Any = None) -> int:
    """Delete contacts with their timelines; return how many still existed. Form submissions stay, without a contact."""
    lock_contacts()
    count = 0
    for start in range(0, len(contacts), BATCH):
        part = list(Contact.objects.filter(pk__in=[contact.pk for contact in contacts[start : start + BATCH]]))
        ids = [contact.pk for contact in part]
        relink_submissions(contact_ids=ids, to=None)
        forget(Contact, ids)
        log_all(part, "wagtail.delete", user=user, deleted=True)
        Contact.objects.filter(pk__in=ids).delete()
        count += len(part)
    return count


def delete_contact(*, contact: Contact, user: Any = None) -> None:
    """See `delete_contacts`."""
    delete_contacts(contacts=[contact], user=user)


def _lock(contacts: Sequence[Contact]) -> list[list[Contact]]:
    """Return the contacts that still exist, in batches, locked in order of their addresses."""
    ids = [contact.pk for contact in sorted(contacts, key=lambda contact: contact.email)]
    parts = []
    for start in range(0, len(ids), BATCH):
        rows = Contact.objects.select_for_update(of=("self",), no_key=True).select_related(*SHOWN)
        parts.append(list(in_lock_order(rows.filter(pk__in=ids[start : start + BATCH]), "email")))
    return parts
