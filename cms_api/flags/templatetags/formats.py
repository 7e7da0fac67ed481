"""Template filters that write dates and times as in the site's country; moments in the current time zone. Empty for no value."""

import datetime as dt

from django import template

from cms_api.flags.selectors import site_formats

register = template.Library()


@register.filter(expects_localtime=True)
def format_date(day: dt.date | None) -> str:
    """ "22 November 2026"."""
    return site_formats().date(day) if day else ""


@register.filter(expects_localtime=True)
def format_short_date(day: dt.date | None) -> str:
    """ "22 Nov 2026"."""
    return site_formats().short_date(day) if day else ""


@register.filter(expects_localtime=True)
def format_time(moment: dt.time | dt.datetime | None) -> str:
    """ "19:05"."""
    return site_formats().time(moment) if moment else ""


@register.filter(expects_localtime=True)
def format_datetime(moment: dt.datetime | None) -> str:
    """ "22 Nov 2026, 19:05"."""
    return site_formats().datetime(moment) if moment else ""


@register.filter(expects_localtime=True)
def format_exact_datetime(moment: dt.datetime | None) -> str:
    """ "22 Nov 2026, 19:05:31"."""
    return site_formats().datetime(moment, with_seconds=True) if moment else ""


@register.filter(expects_localtime=True)
def format_day(day: dt.date) -> str:
    """ "22 November"."""
    return site_formats().day(day)


@register.filter(expects_localtime=True)
def format_short_month(day: dt.date) -> str:
    """ "Nov 2026"."""
    return site_formats().short_month(day)


@register.filter
def format_number(value: float) -> str:
    """ "12,345"."""
    return site_formats().number(value)
