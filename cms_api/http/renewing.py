"""Ends the links to a record by giving it another key."""

from itertools import chain
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.locks import get_row

from .link_keys import LINK_COLUMNS, LinkedRecord

#: In the record's history.
ACTION = "links.renew"


@transaction.atomic
def renew_link(*, record: LinkedRecord, user: Any = None) -> LinkedRecord:
    """End all links to a record, and to those whose pages lead to it; return it as stored. Raises NotFound."""
    locked = get_row(type(record)._default_manager.select_for_update(of=("self",)), record.pk)
    leading = (type(each)._default_manager.select_for_update(of=("self",)).filter(pk=each.pk) for each in locked.leading_here())
    for each in (locked, *chain.from_iterable(leading)):
        each.set_new_link_key()
        each.save(update_fields=[*LINK_COLUMNS, *_touch(each)])
    log(instance=locked, action=ACTION, user=user)
    return locked


def end_links(record: LinkedRecord, *, user: Any = None) -> None:
    """End all links to a record that belongs to another person now; the caller has locked it, and saves it."""
    record.set_new_link_key()
    log(instance=record, action=ACTION, user=user)


def _touch(record: LinkedRecord) -> tuple[str, ...]:
    """Note the change for integrations, where the API has the moment of the latest one; return the column."""
    if not hasattr(record, "updated_at"):
        return ()
    record.updated_at = timezone.now()
    return ("updated_at",)
