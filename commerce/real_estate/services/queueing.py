"""Queues runs of feeds, which the worker does."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.locks import lock_row

from ..models import Feed, FeedRun
from ..selectors.feeds import due_kind, open_run
from ..types.listings import FeedKind, RunKind, RunStatus
from .running import NOT_FINISHED, NOTHING

SWITCHED_OFF = "This feed is switched off. Enable it first."


@transaction.atomic
def queue_run(*, feed: Feed, allow_removals: bool = False, user: Any = None) -> bool:
    """Have the worker run a feed at once: a paused run continues, else one starts. Return False while one is running.

    `allow_removals` confirms what a comparison of the keys has stopped at: the keys are compared again. Raises Invalid (`feed`).
    """
    # One lock for each feed, so that two requests start one run.
    locked = lock_row(Feed.objects.filter(pk=feed.pk))
    if not locked.enabled:
        raise Invalid({"feed": SWITCHED_OFF})
    now, run = timezone.now(), open_run(locked)
    if run is None:
        _start(locked, allow_removals=allow_removals, user=user)
    else:
        changes: dict[str, Any] = {"resumes_at": now}
        if allow_removals:
            changes["allows_removals"] = True
        if not FeedRun.objects.filter(pk=run.pk, status=RunStatus.PAUSED).update(**changes):
            return False
    log(instance=locked, action="real_estate.allow_removals" if allow_removals else "real_estate.queue_run", user=user)
    return True


def _start(feed: Feed, *, allow_removals: bool, user: Any) -> None:
    if feed.kind == FeedKind.FILE:
        raise Invalid({"feed": NOTHING})
    now = timezone.now()
    kind = RunKind.KEYS if allow_removals else due_kind(feed, now)
    state = {"status": RunStatus.PAUSED, "started_at": now, "resumes_at": now}
    try:
        with transaction.atomic():
            FeedRun.objects.create(feed=feed, kind=kind, **state, allows_removals=allow_removals, user=user)
    except IntegrityError:
        raise Invalid({"feed": NOT_FINISHED}) from None
