"""Contacts that are about to go, held so that nobody else has them."""

from collections.abc import Sequence

from django.db import transaction

from commerce.common.services import BATCH

from ..models import Contact
from ..selectors import SHOWN


class _Busy(Exception):
    """Somebody else has a contact at this moment."""

    def __init__(self, pk: int) -> None:
        super().__init__(pk)
        self.pk = pk


def hold_whole(ids: Sequence[int]) -> list[Contact]:
    """Contacts, locked wholly and by their addresses, without those that are gone. Must be called in a transaction.

    Whoever has one contact may tell of any other, in whatever order, and waits for nobody but those who delete or merge it. So
    nobody who wants several wholly keeps some of them while waiting for another: they are taken all at once.
    """
    while True:
        try:
            with transaction.atomic():
                return sorted(_take(ids), key=lambda contact: contact.email)
        except _Busy as busy:
            with transaction.atomic():
                list(Contact.objects.select_for_update().filter(pk=busy.pk).values_list("pk"))
                transaction.set_rollback(True)


def _take(ids: Sequence[int]) -> list[Contact]:
    """Raises _Busy, which gives back with the savepoint what was taken."""
    found: list[Contact] = []
    for start in range(0, len(ids), BATCH):
        part = ids[start : start + BATCH]
        rows = Contact.objects.select_for_update(of=("self",), skip_locked=True).select_related(*SHOWN).filter(pk__in=part)
        free = {contact.pk: contact for contact in rows}
        left = Contact.objects.filter(pk__in=[pk for pk in part if pk not in free]).values_list("pk", flat=True).first()
        if left is not None:
            raise _Busy(left)
        found += free.values()
    return found
