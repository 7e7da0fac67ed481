"""The report of the last week, which is emailed on Monday morning."""

from collections.abc import Iterable
from datetime import date, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from cms_api.core.module import Block
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.mail.services import queue
from cms_api.mail.types import is_address, particulars

from ..models import WeeklyReport
from ..selectors import reports
from ..selectors.labels import amount, format_count, label_of, number, range_of
from ..selectors.ranges import DAY, Range
from ..selectors.summaries import compare
from ..types.counting import Dimension

#: The hour of Monday in the site's time zone from which the report is sent, and its rows of each kind.
REPORT_HOUR, REPORT_ROWS = 7, 5
NONE = Block("None", "<p>None</p>")


def send_weekly_report() -> None:
    """Email last week's figures on Monday morning, once, unless there is nothing to report."""
    now = timezone.now().astimezone(site_timezone())
    is_due = now.weekday() == 0 and now.hour >= REPORT_HOUR
    if not is_due or not get_setting("analytics.weekly_mail") or not is_address(settings.BUSINESS_EMAIL):
        return
    week = Range(now.date() - timedelta(days=7), now.date() - DAY)
    with transaction.atomic():
        if _claim(now.date()):
            _send(week)


def _claim(monday: date) -> bool:
    """Return whether this process is the one that sends the report of a week: the one that creates its row."""
    WeeklyReport.objects.filter(monday__lt=monday).delete()
    _, is_new = WeeklyReport.objects.get_or_create(monday=monday)
    return is_new


def _send(week: Range) -> None:
    now, before = reports.sums_of(week)
    if not any(now.values()):
        return
    context = {
        "week": range_of(week),
        "figures": particulars(
            (each.title, f"{each.figure} ({each.change}{f', from {each.before}' if each.before else ''})")
            for each in compare(now, before)
        ),
        "pages": _list_pairs(
            (f"{row['title']} ({row['path']})" if row["title"] else row["path"], format_count(row["pageviews"], "view"))
            for row in reports.pages(week, limit=REPORT_ROWS)
        ),
        "sources": _list_pairs(
            (label_of(Dimension.SOURCE, row["value"]), format_count(row["visitors"], "visitor"))
            for row in reports.top(week, Dimension.SOURCE, limit=REPORT_ROWS)
        ),
        "goals": _list_pairs(
            (label_of(Dimension.GOAL, row["value"]), ", ".join(filter(None, (number(row["conversions"]), amount(row)))))
            for row in reports.top(week, Dimension.GOAL, limit=REPORT_ROWS, by="conversions")
        ),
        "admin_url": f"{settings.BASE_URL}{reverse('analytics:index')}?from={week.first.isoformat()}&to={week.last.isoformat()}",
    }
    queue(template="analytics_weekly", to=[settings.BUSINESS_EMAIL], context=context)


def _list_pairs(pairs: Iterable[tuple[str, str]]) -> Block:
    """Return a table, or that there is nothing."""
    found = list(pairs)
    return particulars(found) if found else NONE
