"""Adds to the roll-ups: rows that are missing are created, and the numbers of the others change by one statement each batch.

Months are summed up when they are over, so that a report of a year need not read each of its days. Late events are
added to both.
"""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import TruncMonth
from django.utils import timezone

from cms_api.flags.selectors import site_timezone

from ..models import BLANK, RollUp
from ..types.counting import COLUMNS, Counts, Dimension, Key, monthly, with_months
from .storing_lock import wait_for_others

#: Rows of one statement; each has twelve values.
BATCH_ROWS = 500
#: How long after its end a month is summed up.
MONTH_SUMMED_AFTER = timedelta(days=3)


def add_up(counts: Counts) -> None:
    """Add differences to the roll-ups, in the caller's transaction."""
    months = _find_summed({key.day.replace(day=1) for key in counts})
    # Always in the same order, so that two transactions never wait for each other.
    changes = sorted((key, numbers) for key, numbers in with_months(counts, months).items() if any(numbers))
    for start in range(0, len(changes), BATCH_ROWS):
        _upsert(changes[start : start + BATCH_ROWS])


def _upsert(changes: Sequence[tuple[Key, list[int]]]) -> None:
    quote = connection.ops.quote_name
    table = quote(RollUp._meta.db_table)
    names = ("day", "dimension", "path", "value", *COLUMNS)
    row = f"({', '.join(['%s'] * len(names))})"
    added = ", ".join(f"{quote(name)} = {table}.{quote(name)} + excluded.{quote(name)}" for name in COLUMNS)
    sql = (
        f"INSERT INTO {table} ({', '.join(map(quote, names))}) VALUES {', '.join([row] * len(changes))} "
        f"ON CONFLICT ({', '.join(map(quote, ('dimension', 'path', 'day', 'value')))}) DO UPDATE SET {added}"
    )
    values: list[Any] = [value for key, numbers in changes for value in (*key, *numbers)]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def _find_summed(months: Collection[date]) -> set[date]:
    """Return those of the months, given by their first days, that are summed up."""
    rows = RollUp.objects.filter(dimension=monthly(Dimension.TOTAL), path=BLANK, value="", day__in=months)
    return set(rows.values_list("day", flat=True))


def sum_months() -> None:
    """Sum up the months that ended some days ago, each in a transaction of its own."""
    today = timezone.localdate(timezone=site_timezone())
    over = (today - MONTH_SUMMED_AFTER).replace(day=1)
    days = RollUp.objects.filter(dimension=Dimension.TOTAL, path=BLANK, value="", day__lt=over)
    months = set(days.annotate(month=TruncMonth("day")).values_list("month", flat=True).distinct())
    for month in sorted(months - _find_summed(months)):
        with transaction.atomic():
            wait_for_others()
            if not _find_summed([month]):
                _sum_month(month)


def _sum_month(month: date) -> None:
    quote = connection.ops.quote_name
    table, day, dimension = quote(RollUp._meta.db_table), quote("day"), quote("dimension")
    others, columns = (", ".join(map(quote, names)) for names in (("path", "value"), COLUMNS))
    sums = ", ".join(f"SUM({quote(column)})" for column in COLUMNS)
    sql = (
        f"INSERT INTO {table} ({day}, {dimension}, {others}, {columns}) SELECT %s, {dimension} || %s, {others}, {sums} "
        f"FROM {table} WHERE {dimension} <> %s AND {day} >= %s AND {day} < %s GROUP BY {dimension}, {others}"
    )
    following = (month + timedelta(days=31)).replace(day=1)
    with connection.cursor() as cursor:
        cursor.execute(sql, [month, monthly(""), Dimension.HOUR.value, month, following])
