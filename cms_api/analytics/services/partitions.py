"""Partitions of the events, one a day, on PostgreSQL: coming ones are made in time, and expired ones are dropped whole.

The default partition has the events of days without one: late ones of days that were dropped, and all if no job runs.
"""

import logging
import re
from collections.abc import Callable, Collection
from datetime import date, timedelta
from functools import partial

from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from cms_api.flags.selectors import site_timezone

from ..models import Event
from .storing_lock import wait_for_others

logger = logging.getLogger(__name__)

#: Days for which there are partitions in advance.
DAYS_AHEAD = 7
#: Days around an event's within which another one with its number is looked for. Pages repeat messages within hours.
REPEATED_WITHIN = timedelta(days=3)
#: How long a change waits for readers; those that come meanwhile wait for it. It is tried again by the next job.
LOCK_TIMEOUT = "2s"
TABLE = Event._meta.db_table
DEFAULT = f"{TABLE}_default"
_BOUND = re.compile(r"FOR VALUES FROM \((?:MINVALUE|'(?P<first>[-\d]+)')\) TO \('(?P<end>[-\d]+)'\)")


def near(days: Collection[date]) -> Q:
    """Return a condition that spares PostgreSQL the partitions of other days; elsewhere there is no need for one."""
    if connection.vendor != "postgresql" or not days:
        return Q()
    return Q(day__range=(min(days) - REPEATED_WITHIN, max(days) + REPEATED_WITHIN))


def make_coming() -> None:
    """Make the partitions of today and of some days more."""
    today = timezone.localdate(timezone=site_timezone())
    for number in range(DAYS_AHEAD + 1):
        make_partition(today + timedelta(days=number))


def make_partition(day: date) -> None:
    """Make the partition of a day, unless there is one."""
    if connection.vendor == "postgresql":
        _change(partial(_making, day))


def drop_before(day: date) -> None:
    """Drop the partitions that have only events from before a day."""
    if connection.vendor == "postgresql":
        for name in [name for name, _, end in _partitions() if end <= day]:
            _change(partial(_dropping, name))


def _making(day: date) -> list[str]:
    """Return the statements that make the partition of a day, with the events that have arrived already; none if there is one."""
    if any(first <= day < end for _, first, end in _partitions()):
        return []
    name, written, following = f"{TABLE}_{day:%Y%m%d}", day.isoformat(), (day + timedelta(days=1)).isoformat()
    return [
        f"CREATE TABLE {name} (LIKE {TABLE} INCLUDING ALL)",
        f"WITH moved AS (DELETE FROM {DEFAULT} WHERE day = '{written}' RETURNING *) INSERT INTO {name} SELECT * FROM moved",
        f"ALTER TABLE {TABLE} ATTACH PARTITION {name} FOR VALUES FROM ('{written}') TO ('{following}')",
    ]


def _dropping(name: str) -> list[str]:
    return [f"DROP TABLE IF EXISTS {name}"]


def _change(statements: Callable[[], list[str]]) -> None:
    """Change the partitions while no worker stores. Readers that do not end soon prevent it, which is logged."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            wait_for_others()
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            for statement in statements():
                cursor.execute(statement)
    except OperationalError:
        logger.warning("The partitions of %s can't be changed at the moment.", TABLE, exc_info=True)


def _partitions() -> list[tuple[str, date, date]]:
    """Return the partitions, except for the default one: their names, first days, and days after the last."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, pg_get_expr(relpartbound, pg_class.oid) FROM pg_class "
            "JOIN pg_inherits ON inhrelid = pg_class.oid WHERE inhparent = %s::regclass ORDER BY relname",
            [TABLE],
        )
        found = [(name, _BOUND.fullmatch(bound)) for name, bound in cursor.fetchall()]
    return [
        (name, date.fromisoformat(bound["first"]) if bound["first"] else date.min, date.fromisoformat(bound["end"]))
        for name, bound in found
        if bound
    ]
