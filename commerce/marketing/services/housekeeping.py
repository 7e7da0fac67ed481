"""Deletes subscribers who never confirmed: their data is not kept without consent."""

import time
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from cms_api.text.search import forget
from commerce.common.services import BATCH

from ..models import Subscriber
from ..types import Status
from .links import CONFIRM_SECONDS

#: Seconds per run, so that other jobs are not delayed; the next run continues.
RUN_SECONDS = 20.0


def drop_pending() -> None:
    """Delete pending subscribers whose last confirmation link has expired.

    No event is emitted, as none was emitted when they were created. Rows locked by others are left to the next run.
    """
    ended = timezone.now() - timedelta(seconds=CONFIRM_SECONDS)
    old = Subscriber.objects.filter(status=Status.PENDING, updated_at__lt=ended).order_by("updated_at", "id")
    ends = time.monotonic() + RUN_SECONDS
    while time.monotonic() < ends and _drop(old):
        pass


@transaction.atomic
def _drop(old: QuerySet[Subscriber]) -> int:
    ids = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:BATCH])
    forget(Subscriber, ids)
    Subscriber.objects.filter(pk__in=ids).delete()
    return len(ids)
