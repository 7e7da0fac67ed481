"""Contacts that are about to go, held so that nobody else has them."""

from collections.abc import Sequence

from django.db import transaction

from commerce.common.services import BATCH

from ..models import Contact
from ..selectors import SHOWN


class Busy(Exception):
    """Somebody else has a contact at this moment."""

    def __init__(self, pk: int) -> None:
        super().__init__(pk)
        self.pk = pk

    def wait(self) -> None:
        """Until they let go of it, which nobody holds afterwards."""
        with transaction.atomic():
            list(Contact.objects.select_for_update().filter(pk=self.pk).values_list("pk"))
            transaction.set_rollback(True)


def hold_whole(ids: Sequence[int]) -> list[Contact]:
    """Contacts, locked wholly and by their addresses, without those that are gone. Must be called in a transaction.

    Whoever has one contact may tell of any other, in whatever order, and waits for nobody but those who delete or merge it. So
    nobody who wants several wholly keeps some of them while waiting for another: they are taken all at once.
    """
    while True:
        try:
            with transaction.atomic():
                return take_whole(ids)
        except Busy as busy:
            busy.wait()


def take_whole(ids: Sequence[int]) -> list[Contact]:
    """As `hold_whole`, for a caller who begins a savepoint of their own anew; see `find_or_create` on those.

    Raises Busy, with which the caller gives back what was taken, and waits.
    """
    found: list[Contact] = []
    for start in range(0, len(ids), BATCH):
        part = ids[start : start + BATCH]
        rows = Contact.objects.select_for_update(of=("self",), skip_locked=True).select_related(*SHOWN).filter(pk__in=part)
        free = {contact.pk: contact for contact in rows}
        left = Contact.objects.filter(pk__in=[pk for pk in part if pk not in free]).values_list("pk", flat=True).first()
        if left is not None:
            raise Busy(left)
        found += free.values()
    return sorted(found, key=lambda contact: contact.email)
