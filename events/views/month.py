"""The month view, a table of days with their entries: a grid for sighted visitors, on phones an agenda."""

import datetime as dt
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.dates import WEEKDAYS

from cms_api.content.models import ContentType, Term
from cms_api.content.resources import meta
from cms_api.content.selectors import cache_page, items_version
from cms_api.content.views import vocabularies
from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.http import page_cache

from ..selectors.dates import Standing, dates_between
from ..types.months import Month, last_day, month_of, read_month

TEMPLATE = "content/content-calendar-grid.html"

#: Entries shown per day; the rest can be expanded.
SHOWN_ENTRIES = 4


@dataclass(frozen=True)
class Entry:
    """An item's entry on one day."""

    title: str
    #: Empty if the type has no detail pages.
    url: str
    #: The time on this day; empty for the whole day.
    time: str
    #: The time as read by screen readers.
    hint: str
    is_cancelled: bool
    #: Whether it began on an earlier day; `goes_on` whether it continues on a later one.
    is_continued: bool
    goes_on: bool


@dataclass(frozen=True)
class Day:
    date: dt.date
    is_today: bool
    entries: list[Entry]

    @property
    def first(self) -> list[Entry]:
        """The entries shown at first; one more than usual if only one would be hidden."""
        return self.entries if len(self.entries) <= SHOWN_ENTRIES + 1 else self.entries[:SHOWN_ENTRIES]

    @property
    def others(self) -> list[Entry]:
        return self.entries[len(self.first) :]


def show_month(request: HttpRequest, item_type: ContentType, term: Term | None, *, tabs: list[dict[str, Any]]) -> HttpResponse:
    """The month given by `?month=YYYY-MM`; the current month if that is invalid or out of range."""
    zone = site_timezone()
    now = timezone.now().astimezone(zone)
    present = month_of(now.date())
    month = read_month(request.GET.get("month", "")) or present
    cache_page(items_version(item_type.pk))
    page_cache.good_until(dt.datetime.combine(now.date() + dt.timedelta(days=1), dt.time(), tzinfo=zone))
    days = _days(item_type, month, zone, now.date(), term)
    path = _path(item_type, term)
    context = {
        "type": item_type,
        "term": term,
        "tabs": tabs,
        "kept_query": "?view=calendar",
        "vocabularies": vocabularies(item_type),
        "month": _describe(month),
        "weekdays": [(str(WEEKDAYS[number]), str(WEEKDAYS[number])[:3]) for number in range(7)],
        "weeks": [[days.get(day) if day else None for day in week] for week in month.weeks()],
        "count": sum(1 for day in days.values() if day.entries),
        "previous": _describe(month.previous),
        "next": _describe(month.next),
        "is_present": month == present,
        "meta": _meta(item_type, term, month, present, path),
    }
    return render(request, TEMPLATE, context)


@dataclass(frozen=True)
class Span:
    """The days an entry covers, and its start and end time in the site's time zone; None for whole days."""

    first: dt.date
    last: dt.date
    opens: dt.time | None
    closes: dt.time | None


def _days(item_type: ContentType, month: Month, zone: ZoneInfo, today: dt.date, term: Term | None) -> dict[dt.date, Day]:
    days = {day: Day(day, day == today, []) for week in month.weeks() for day in week if day}
    path = reverse("item_list", args=[item_type.slug]) if item_type.has_detail else ""
    found = [(_span(each, zone), each) for each in dates_between(item_type, month.first, month.last, zone, term)]
    # All-day entries come before timed ones.
    found.sort(key=lambda pair: (pair[0].opens is not None, pair[0].first, pair[0].opens or dt.time(), pair[1].title, pair[1].pk))
    for span, each in found:
        for day in _within(span, month):
            days[day].entries.append(_entry(each, span, day, path))
    return days


def _within(span: Span, month: Month) -> list[dt.date]:
    start, end = max(span.first, month.first), min(span.last, month.last)
    return [start + dt.timedelta(days=number) for number in range((end - start).days + 1)]


def _span(each: Standing, zone: ZoneInfo) -> Span:
    date = each.date
    if isinstance(date, dict) and date.get("all_day"):
        first = dt.date.fromisoformat(date["start"])
        return Span(first, dt.date.fromisoformat(date["end"]) if date.get("end") else first, None, None)
    start, end = each.starts_at.astimezone(zone), each.ends_at.astimezone(zone)
    return Span(start.date(), last_day(start, end), start.time(), end.time())


def _entry(each: Standing, span: Span, day: dt.date, path: str) -> Entry:
    date = each.date if isinstance(each.date, dict) else {}
    time = ""
    if span.opens and day == span.first:
        time = site_formats().time(span.opens)
    elif span.closes and day == span.last:
        time = f"until {site_formats().time(span.closes)}"
    hints = [] if time else ["all day"]
    if span.first != span.last:
        hints.append(f"day {(day - span.first).days + 1} of {(span.last - span.first).days + 1}")
    return Entry(
        title=each.title,
        url=_link(each, path, date),
        time=time,
        hint=", ".join(hints),
        is_cancelled=bool(date.get("cancelled")),
        is_continued=day != span.first,
        goes_on=day != span.last,
    )


def _link(each: Standing, path: str, date: dict[str, Any]) -> str:
    """Return the URL of an entry; a later date links to the item's page at that date."""
    if not path:
        return ""
    if each.owner_slug is None:
        return f"{path}/{each.slug}"
    start = date.get("start")
    return f"{path}/{each.owner_slug}" + (f"?occurrence={quote(start, safe=':')}" if start else "")


def _describe(month: Month | None) -> dict[str, Any] | None:
    return (
        {"query": f"?view=calendar&month={month}", "name": site_formats().month(month.first), "day": month.first}
        if month
        else None
    )


def _path(item_type: ContentType, term: Term | None) -> str:
    if term:
        return reverse("term_archive", args=[item_type.slug, term.taxonomy, term.slug])
    return reverse("item_list", args=[item_type.slug])


def _meta(item_type: ContentType, term: Term | None, month: Month, present: Month, path: str) -> meta.Meta:
    """Return the meta data. Only the current month is indexed: there is no end to the others."""
    usual = meta.for_list(item_type, term, 1, searched=False)
    query = "?view=calendar" + ("" if month == present else f"&month={month}")
    return {
        **usual,
        "title": f"{usual['title']}, {site_formats().month(month.first)}",
        "url": meta.absolute(path + query),
        "unlisted": month != present,
    }
