"""Ends the links to a record by giving it another key."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from .link_keys import LINK_COLUMNS, LinkedRecord

#: In the record's history.
ACTION = "links.renew"


@transaction.atomic
def renew_link(*, record: LinkedRecord, user: Any = None) -> LinkedRecord:
    """End all links to a record, and to those whose pages lead to it; return it as stored. Raises DoesNotExist."""
    locked = type(record)._default_manager.select_for_update(of=("self",)).get(pk=record.pk)
    for each in (locked, *locked.leading_here()):
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
