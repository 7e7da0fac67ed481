"""Moves contacts when the confirmed address of an account changes."""

from django.db import transaction
from django.utils import timezone

from cms_api.webhooks.services import emit
from commerce.common.types import email_key

from ..models import Contact, MergedAddress
from ..selectors import find_contacts
from ..types import Lifecycle
from .contacts import CHANGED
from .locking import lock_contacts
from .merging import merge_contacts


@transaction.atomic
def move_contact(former: str, address: str) -> None:
    """Move the contact of an account's former address, if any, to the new address, which its owner has confirmed.

    A contact's own address never changes. Instead, the contact of the new address is used, or created as a copy of the
    former one, and the former one is merged into it with its timeline. The former address leads to the new contact from now
    on, as after any merge: people keep writing from it, and subscriptions stay with it. A new address that led to another
    contact no longer does: its owner has just been proven, and that other contact must not be merged.
    """
    lock_contacts()
    old, new = email_key(former), email_key(address)
    known = find_contacts([old, new])
    mine, kept = known.get(old), known.get(new)
    if mine is None or mine.email == new:
        return
    if kept is None or kept.email != new:
        MergedAddress.objects.filter(email=new).delete()
        kept = _create(new, mine)
    elif kept.lifecycle == Lifecycle.LEAD:
        # A new contact has the initial lifecycle, which may be behind the person's.
        Contact.objects.filter(pk=kept.pk).update(lifecycle=mine.lifecycle)
    merge_contacts(kept=kept, others=[mine])


def _create(email: str, like: Contact) -> Contact:
    """Create a contact like another one. Assignment rules do not apply, because the person is not new."""
    values = {name: getattr(like, name) for name in CHANGED}
    created = Contact.objects.create(email=email, created_at=like.created_at, updated_at=timezone.now(), **values)
    emit("crm.contact.created", created)
    return created
