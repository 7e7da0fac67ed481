"""Reads of feeds and their runs."""

from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from ..models import Feed, FeedRun
from ..types.listings import DAY, OPEN, FeedKind, RunKind, RunStatus


def feeds() -> QuerySet[Feed]:
    """Return the feeds, each with the number of its listings (`property_count`)."""
    return Feed.objects.annotate(property_count=Count("properties"))


def runs(feed: Feed | None = None) -> QuerySet[FeedRun]:
    """Return the runs, newest first: all of them, or those of a feed."""
    found = FeedRun.objects.select_related("feed", "user")
    return found if feed is None else found.filter(feed=feed)


def open_run(feed: Feed) -> FeedRun | None:
    """Return the run of a feed that is going on, or is to be continued."""
    return FeedRun.objects.filter(feed=feed, status__in=OPEN).first()


def due_feeds(now: datetime) -> QuerySet[Feed]:
    """Return the enabled feeds with something to do: a run to continue, or one to start."""
    goes_on = FeedRun.objects.filter(feed=OuterRef("pk"), status__in=OPEN).filter(Q(resumes_at=None) | Q(resumes_at__lte=now))
    waits = FeedRun.objects.filter(feed=OuterRef("pk"), status__in=OPEN)
    starts = Q(kind=FeedKind.RESO) & (Q(next_run_at=None) | Q(next_run_at__lte=now)) & ~Exists(waits)
    return Feed.objects.filter(Feed.free(now), enabled=True).filter(Exists(goes_on) | starts).order_by("next_run_at", "pk")


def due_kind(feed: Feed, now: datetime) -> RunKind:
    """Return the run that a feed of the RESO Web API needs next."""
    if feed.watermark is None:
        return RunKind.FULL
    checked = feed.keys_checked_at
    last = FeedRun.objects.filter(feed=feed).exclude(status__in=OPEN).order_by("-started_at", "-pk").first()
    # The keys are compared after the changes have been read.
    was_read = last is not None and last.kind in (RunKind.FULL, RunKind.UPDATE) and last.status == RunStatus.FINISHED
    return RunKind.KEYS if was_read and (checked is None or checked <= now - DAY) else RunKind.UPDATE
