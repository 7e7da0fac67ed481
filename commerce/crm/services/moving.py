"""Somebody has another address from now on: what was known of the contact goes over to it."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.webhooks.services import emit
from commerce.common.services import ROUNDS
from commerce.common.types import email_key

from ..models import Contact, MergedAddress
from ..selectors import find_contacts
from ..types import Lifecycle
from .contacts import CHANGED, Moved
from .holding import Busy, take_whole
from .merging import merge_contacts


@transaction.atomic
def follow_address(former: str, address: str) -> None:
    """Makes the contact of an account's new address, which its holder has confirmed, of that which the former one led to.

    The contact of the new address is kept, or made like the other where there is none, and the other is merged into it, with its
    timeline: a contact's own address never changes, as everybody locks contacts in the order of their addresses. Who was no
    contact becomes none. Where the new address leads to another contact, which had it before or was merged with whoever had it,
    it leads there no longer: whose it is has just been shown, and nobody else is merged because of it.

    The former address leads to the kept contact from now on, as after every merge: people go on writing from it and fill it into
    forms out of habit, subscriptions stay with the address they were confirmed for, and all that belongs into one timeline.
    """
    old, new = email_key(former), email_key(address)
    left = ROUNDS
    while True:
        try:
            return _move(old, new)
        except Busy as busy:
            busy.wait()
        except (IntegrityError, Moved):
            left -= 1
            if not left:
                # That many were never faster: something else is wrong with the records.
                raise


@transaction.atomic
def _move(old: str, new: str) -> None:
    """Raises Busy where somebody else has a contact, and Moved, or IntegrityError, where they merged, deleted or made one."""
    mine = find_contacts([old]).get(old)
    if mine is None or mine.email == new:
        return
    # Whoever holds a contact may write the addresses that lead to it, and nobody else.
    led_to = MergedAddress.objects.filter(email=new).values_list("contact__email", flat=True)
    wanted = Contact.objects.filter(email__in={mine.email, new, *led_to})
    held = {contact.email: contact for contact in take_whole(list(wanted.values_list("pk", flat=True)))}
    if mine.email not in held:
        raise Moved
    mine, kept = held[mine.email], held.get(new)
    if kept is None:
        kept = _make(new, mine)
        # After the contact is made, which waits for a merge of this address that is under way.
        MergedAddress.objects.filter(email=new, contact__in=held.values()).delete()
        if MergedAddress.objects.filter(email=new).exists():
            raise Moved
    elif kept.lifecycle == Lifecycle.LEAD:
        # Which is where everybody begins, and may be behind where the person stands.
        Contact.objects.filter(pk=kept.pk).update(lifecycle=mine.lifecycle)
    merge_contacts(kept=kept, others=[mine])


def _make(email: str, like: Contact) -> Contact:
    """No rule of assignment is asked: the person is not new."""
    values = {name: getattr(like, name) for name in CHANGED}
    made = Contact.objects.create(email=email, created_at=like.created_at, updated_at=timezone.now(), **values)
    emit("crm.contact.created", made)
    return made
