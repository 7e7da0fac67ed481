"""How far ahead dates are looked at."""

import datetime as dt

from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_timezone

#: Days ahead for which dates can be laid out at most.
FARTHEST = 3650
#: How long a date stays in feeds after its end.
KEPT = dt.timedelta(days=90)


def horizon() -> dt.date:
    """The last day up to which rules without end are laid out, and calendars told, by the site's clocks."""
    days = min(max(int(get_setting("recurrence.horizon_days")), 0), FARTHEST)
    return today() + dt.timedelta(days=days)


def feed_span() -> tuple[dt.datetime, dt.datetime]:
    """What feeds show: from so long before the site's day to the end of the horizon."""
    return end_of(today() - dt.timedelta(days=1)) - KEPT, end_of(horizon())


def today() -> dt.date:
    return timezone.now().astimezone(site_timezone()).date()


def end_of(day: dt.date) -> dt.datetime:
    """The moment at which a day of the site is over."""
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), tzinfo=site_timezone())
