"""Whoever signs up and never confirms is forgotten: what they did not ask for twice, nobody keeps of them."""

import time
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from cms_api.text.search import forget
from commerce.common.services import BATCH

from ..models import Subscriber
from ..types import Status
from .links import CONFIRM_WITHIN

#: How long a run deletes, in seconds, so that it does not hold up the other jobs; the next one goes on.
RUN = 20.0


def drop_pending() -> None:
    """Deletes those who have not confirmed by the time the last link that was mailed to them runs out.

    Nobody is told, as nobody was told of them. Whom somebody writes at this moment stays until the next time.
    """
    ended = timezone.now() - timedelta(seconds=CONFIRM_WITHIN)
    old = Subscriber.objects.filter(status=Status.PENDING, updated_at__lt=ended).order_by("updated_at", "id")
    ends = time.monotonic() + RUN
    while time.monotonic() < ends and _drop(old):
        pass


@transaction.atomic
def _drop(old: QuerySet[Subscriber]) -> int:
    ids = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:BATCH])
    forget(Subscriber, ids)
    Subscriber.objects.filter(pk__in=ids).delete()
    return len(ids)
