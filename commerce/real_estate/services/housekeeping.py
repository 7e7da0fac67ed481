"""Clears what imports leave behind."""

from datetime import timedelta

from django.utils import timezone

from cms_api.media.services.private import delete_strays

from ..models import FeedRun
from ..models.feeds import run_files
from ..types.listings import OPEN

#: How long runs are kept.
FEED_RUNS_KEPT = timedelta(days=90)


def clear_runs() -> None:
    """Delete old runs, and files without a run. A periodic job."""
    FeedRun.objects.exclude(status__in=OPEN).filter(started_at__lt=timezone.now() - FEED_RUNS_KEPT).delete()
    delete_strays(run_files(), lambda names: FeedRun.objects.filter(file__in=names).values_list("file", flat=True))
