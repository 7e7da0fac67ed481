"""On PostgreSQL, the table of events has a partition for each day. A job creates partitions in advance, and drops expired ones.

The default partition has the events of all days without a partition: events that arrive after their partition was dropped, and
all events if the job does not run.
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

#: Partitions are created for so many days in advance.
DAYS_AHEAD = 7
#: A page sends a message again, with the same number, if it got no answer; it does so within hours. An event is taken for a
#: repetition of another one if both have the same number and their days are at most so far apart.
REPEATED_WITHIN = timedelta(days=3)
#: A change of the partitions waits for transactions that read the table, and further readers wait for the change. After this time
#: the change is given up, and the next job tries it again.
LOCK_TIMEOUT = "2s"
TABLE = Event._meta.db_table
DEFAULT = f"{TABLE}_default"
_BOUND = re.compile(r"FOR VALUES FROM \((?:MINVALUE|'(?P<first>[-\d]+)')\) TO \('(?P<end>[-\d]+)'\)")


def near(days: Collection[date]) -> Q:
    """Return a condition by which PostgreSQL searches only the partitions near some days. Other databases need no condition."""
    if connection.vendor != "postgresql" or not days:
        return Q()
    return Q(day__range=(min(days) - REPEATED_WITHIN, max(days) + REPEATED_WITHIN))


def make_coming() -> None:
    """Create the partitions of today and of the next DAYS_AHEAD days."""
    today = timezone.localdate(timezone=site_timezone())
    for number in range(DAYS_AHEAD + 1):
        make_partition(today + timedelta(days=number))


def make_partition(day: date) -> None:
    """Create the partition of a day, unless it exists."""
    if connection.vendor == "postgresql":
        _change(partial(_making, day))


def drop_before(day: date) -> None:
    """Drop the partitions whose events are all from before a day."""
    if connection.vendor == "postgresql":
        for name in [name for name, _, end in _partitions() if end <= day]:
            _change(partial(_dropping, name))


def _making(day: date) -> list[str]:
    """Return the statements that create the partition of a day and move the events of that day there; none if it exists."""
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
    """Change the partitions while no worker stores events. Give up, and log that, if readers take too long."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            wait_for_others()
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
            for statement in statements():
                cursor.execute(statement)
    except OperationalError:
        logger.warning("The partitions of %s can't be changed at the moment.", TABLE, exc_info=True)


def _partitions() -> list[tuple[str, date, date]]:
    """Return the name of each partition except the default one, its first day, and the day after its last."""
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
