"""Reads of feeds and their runs."""

from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from ..models import Feed, FeedRun
from ..types.listings import BRAKE, DAY, OPEN, FeedKind, RunKind, RunStatus

#: The error of a run that would have removed too many listings; empty for others.
_SAID = Case(When(status=RunStatus.FAILED, error__contains=BRAKE, then=F("error")), default=Value(""))


def feeds() -> QuerySet[Feed]:
    """Return the feeds, each with the number of its listings (`property_count`)."""
    return Feed.objects.annotate(property_count=Count("properties"))


def feeds_with_state() -> QuerySet[Any]:
    """Return the feeds with the number of their listings, and the state of their imports.

    `last_status`, `last_error` and `last_started_at` are those of the latest run, `open_status` that of one that has not ended.
    `brake` is the error of the latest run that would have removed too many listings, unless a later one has removed them.
    """
    own = FeedRun.objects.filter(feed=OuterRef("pk")).order_by("-started_at", "-pk")
    compared = own.exclude(status__in=OPEN).filter(Q(kind=RunKind.KEYS) | Q(is_complete=True))
    return feeds().annotate(
        last_status=Subquery(own.values("status")[:1]),
        last_error=Subquery(own.values("error")[:1]),
        last_started_at=Subquery(own.values("started_at")[:1]),
        open_status=Subquery(own.filter(status__in=OPEN).values("status")[:1]),
        brake=Coalesce(Subquery(compared.annotate(said=_SAID).values("said")[:1]), Value("")),
    )


def failing_feeds() -> QuerySet[Feed]:
    """Return the enabled feeds whose latest import failed, without those that await a confirmation."""
    return feeds_with_state().filter(enabled=True, last_status=RunStatus.FAILED, brake="")


def feeds_to_confirm() -> QuerySet[Feed]:
    """Return the enabled feeds that stopped before removing many listings."""
    return feeds_with_state().filter(enabled=True).exclude(brake="")


def runs(feed: Feed | None = None) -> QuerySet[FeedRun]:
    """Return the runs, newest first: all of them, or those of a feed."""
    found = FeedRun.objects.select_related("feed", "user")
    return found if feed is None else found.filter(feed=feed)


def open_run(feed: Feed) -> FeedRun | None:
    """Return the run of a feed that is going on, or is to be continued."""
    return FeedRun.objects.filter(feed=feed, status__in=OPEN).first()


def due_feeds(now: datetime) -> QuerySet[Feed]:
    """Return the enabled feeds with something to do, a run to continue or one to start: those that wait longest first."""
    waits = FeedRun.objects.filter(feed=OuterRef("pk"), status__in=OPEN)
    goes_on = waits.filter(Q(resumes_at=None) | Q(resumes_at__lte=now))
    since = Coalesce(Subquery(waits.values(since=Coalesce("resumes_at", "started_at"))[:1]), "next_run_at")
    starts = Q(kind=FeedKind.RESO) & (Q(next_run_at=None) | Q(next_run_at__lte=now)) & ~Exists(waits)
    due = Feed.objects.filter(Feed.free(now), enabled=True).filter(Exists(goes_on) | starts)
    return due.order_by(since.asc(nulls_first=True), "pk")


def due_kind(feed: Feed, now: datetime) -> RunKind:
    """Return the run that a feed of the RESO Web API needs next."""
    if feed.watermark is None:
        return RunKind.FULL
    checked = feed.keys_checked_at
    last = FeedRun.objects.filter(feed=feed).exclude(status__in=OPEN).order_by("-started_at", "-pk").first()
    # The keys are compared after the changes have been read.
    was_read = last is not None and last.kind in (RunKind.FULL, RunKind.UPDATE) and last.status == RunStatus.FINISHED
    return RunKind.KEYS if was_read and (checked is None or checked <= now - DAY) else RunKind.UPDATE
