"""Observes how sales change in tests, and compares it with what `commerce.sales.types.TRANSITIONS` allows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models.signals import post_init, post_save

from cms_api.core import registry
from commerce.sales.services import SalePayable


@contextmanager
def observed() -> Iterator[list[str]]:
    """The transitions of sales inside the block that are not allowed, as they are saved."""
    kinds = {kind.model: kind for kind in registry.payables().values() if isinstance(kind, SalePayable)}
    #: The statuses of sales, as they were read or written last.
    known: dict[tuple[Any, int], str] = {}
    refused: list[str] = []

    def read(sender: Any, instance: Any, **_: Any) -> None:
        if instance.pk is not None and "status" not in instance.get_deferred_fields():
            known[sender, instance.pk] = instance.status

    def written(sender: Any, instance: Any, update_fields: Any, **_: Any) -> None:
        if update_fields is not None and "status" not in update_fields:
            return
        before, after = known.get((sender, instance.pk), instance.status), instance.status
        known[sender, instance.pk] = after
        if not kinds[sender].may_become(before, after):
            refused.append(f"{instance!r}: {before} to {after}")

    for model in kinds:
        post_init.connect(read, sender=model)
        post_save.connect(written, sender=model)
    try:
        yield refused
    finally:
        for model in kinds:
            post_init.disconnect(read, sender=model)
            post_save.disconnect(written, sender=model)
