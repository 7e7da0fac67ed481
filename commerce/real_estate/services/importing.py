"""Imports files of listings."""

from typing import Any

from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.media.services.private import upload_name

from ..models import Feed, FeedRun
from ..types.listings import MAX_FILE_NAME, FeedKind, RunKind, RunStatus
from .running import NOT_FINISHED, run_feed

NOT_A_FILE_FEED = "This feed is read from its address. Create a feed for files."


def upload_file(
    *,
    feed: Feed,
    file: Any,
    name: str,
    is_complete: bool = False,
    allow_removals: bool = False,
    user: Any = None,
) -> FeedRun:
    """Store a JSON or CSV file, which the worker imports, and return its run. `file` is a binary file or an upload.

    If the file `is_complete`, listings that are not in it are removed in the end; more than a fifth of them only with
    `allow_removals`. Raises Invalid (`feed`, `file`).
    """
    if feed.kind != FeedKind.FILE:
        raise Invalid({"feed": NOT_A_FILE_FEED})
    now = timezone.now()
    run = FeedRun(
        feed=feed,
        kind=RunKind.FILE,
        status=RunStatus.PAUSED,
        started_at=now,
        resumes_at=now,
        filename=upload_name(name)[:MAX_FILE_NAME],
        is_complete=is_complete,
        allows_removals=allow_removals,
        user=user,
    )
    run.file.save("", file if isinstance(file, File) else File(file), save=False)
    try:
        with transaction.atomic():
            run.save()
    except IntegrityError:
        run.file.delete(save=False)
        raise Invalid({"file": NOT_FINISHED}) from None
    except BaseException:
        run.file.delete(save=False)
        raise
    return run


def import_file(
    *,
    feed: Feed,
    file: Any,
    name: str,
    is_complete: bool = False,
    allow_removals: bool = False,
    user: Any = None,
) -> FeedRun:
    """Import a JSON or CSV file at once, as `upload_file` describes it, and return its run, which may have failed."""
    upload_file(feed=feed, file=file, name=name, is_complete=is_complete, allow_removals=allow_removals, user=user)
    return run_feed(feed=feed)
