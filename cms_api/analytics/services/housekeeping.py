"""Deletes what is not needed any more: events and visits after some weeks, sums after some years, salts after two days."""

from datetime import datetime, time, timedelta
from time import monotonic, sleep
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_timezone

from ..models import Attribution, Event, RollUp, StoredFile, Visit
from . import partitions
from .salts import delete_old_salts

#: Rows that one transaction deletes; visits have up to 500 events each.
BATCH_ROWS, BATCH_VISITS = 5_000, 500
#: Seconds between two transactions, in which others may write, and after which the rest is left to the next run.
PAUSE_SECONDS, RUN_SECONDS = 0.02, 20.0
#: How long a payment may take, and how long the name of a stored file is kept whose process has died.
ATTRIBUTION_RETENTION = timedelta(days=30)

#: However few days the settings say: what happens today is counted with what has happened before.
MIN_RETENTION = timedelta(days=3)


def delete_old() -> None:
    """Delete old records, a few at a time, so that nobody waits for a lock. The next run goes on with the rest."""
    delete_old_salts()
    until = monotonic() + RUN_SECONDS
    now, zone = timezone.now(), site_timezone()
    today = timezone.localdate(timezone=zone)
    first = today - max(_days("analytics.keep_events_days"), MIN_RETENTION)
    before = datetime.combine(first, time(), tzinfo=zone).timestamp()
    partitions.drop_before(first)
    # A visit goes with all its events; on PostgreSQL, with those that were in no partition of a day.
    _delete(Visit, until, BATCH_VISITS, last_at__lt=before)
    _delete(Event, until, at__lt=before, visit__isnull=True)
    # Whole months, as the sums of months are.
    _delete(RollUp, until, day__lt=(today - max(31 * _days("analytics.keep_months"), MIN_RETENTION)).replace(day=1))
    _delete(Attribution, until, created_at__lt=now - ATTRIBUTION_RETENTION)
    _delete(StoredFile, until, stored_at__lt=now - ATTRIBUTION_RETENTION)


def _delete(model: type[Model], until: float, some: int = BATCH_ROWS, **conditions: Any) -> None:
    while True:
        with transaction.atomic():
            ids = list(model._default_manager.filter(**conditions).values_list("pk", flat=True)[:some])
            model._default_manager.filter(pk__in=ids).delete()
        if len(ids) < some or monotonic() > until:
            return
        sleep(PAUSE_SECONDS)


def _days(key: str) -> timedelta:
    """Return a setting as days. More than a few centuries are not in the calendar."""
    return timedelta(days=min(max(int(get_setting(key)), 0), 10_000))
