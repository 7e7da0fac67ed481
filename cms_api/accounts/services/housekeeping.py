"""Deletes accounts whose address was never confirmed."""

import time
from collections.abc import Collection
from typing import Any

from allauth.account.models import EmailAddress, EmailConfirmation
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, Model, OuterRef
from django.utils import timezone

from ..types import UNCONFIRMED_RETENTION

#: Accounts checked, and deleted, per transaction.
BATCH = 500
#: The longest a run deletes, in seconds, so that it does not delay other jobs; the next run continues.
RUN_SECONDS = 20.0


def drop_unconfirmed() -> None:
    """Delete old accounts whose address was never confirmed and which therefore could never sign in, and expired links.

    Accounts that did sign in, that may enter the admin, or that anything refers to are not deleted. The addresses are read once,
    in primary key order, however many there are.
    """
    EmailConfirmation.objects.delete_expired_confirmations()
    unconfirmed = EmailAddress.objects.filter(verified=False).order_by("pk")
    ends, last = time.monotonic() + RUN_SECONDS, 0
    while time.monotonic() < ends and (found := list(unconfirmed.filter(pk__gt=last).values_list("pk", "user_id")[:BATCH])):
        last = found[-1][0]
        _drop({user for _, user in found})


@transaction.atomic
def _drop(ids: Collection[int]) -> None:
    users = get_user_model().objects
    # Locked before they are checked, since confirming locks the account too. Locked accounts are left for the next run.
    locked = list(users.select_for_update(skip_locked=True).filter(pk__in=ids).order_by("pk").values_list("pk", flat=True))
    never = users.filter(
        ~Exists(EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)),
        pk__in=locked,
        date_joined__lt=timezone.now() - UNCONFIRMED_RETENTION,
        last_login=None,
        is_staff=False,
        is_superuser=False,
    )
    left = set(never.values_list("pk", flat=True))
    for model, column in _references():
        if not left:
            return
        left -= set(model._base_manager.filter(**{f"{column}__in": left}).values_list(column, flat=True))
    users.filter(pk__in=left).delete()


def _references() -> list[tuple[type[Model], str]]:
    """Return every column that refers to an account, groups and permissions included, except that of its addresses."""
    fields: list[Any] = get_user_model()._meta.get_fields(include_hidden=True)
    relations = [each for each in fields if each.auto_created and (each.one_to_many or each.one_to_one)]
    return [(each.related_model, each.field.name) for each in relations if each.related_model is not EmailAddress]
