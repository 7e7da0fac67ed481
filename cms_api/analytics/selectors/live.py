"""Visitors of the last half hour, from the events themselves."""

import time
from collections import defaultdict
from datetime import timedelta

from django.utils import timezone

from ..models import Event
from ..types.events import Kind

LIVE_MINUTES = 30
#: Minutes for which a visitor counts as present.
PRESENT_MINUTES = 5


def visitors_by_minute() -> tuple[int, list[int]]:
    """Return how many visitors are present, and how many there were in each of the last 30 minutes, the latest last."""
    now = time.time()
    since = now - LIVE_MINUTES * 60
    seen: dict[int, set[int]] = defaultdict(set)
    # By the day, PostgreSQL finds the partition; the site's time zone may have changed since.
    yesterday = timezone.localdate() - timedelta(days=1)
    rows = Event.objects.filter(day__gte=yesterday, at__gt=since, kind=Kind.VIEW).values_list("at", "visitor")
    for at, visitor in rows.iterator():
        seen[int((at - since) // 60)].add(visitor)
    minutes = [seen.get(minute, set()) for minute in range(LIVE_MINUTES)]
    return len(set().union(*minutes[-PRESENT_MINUTES:])), [len(each) for each in minutes]
