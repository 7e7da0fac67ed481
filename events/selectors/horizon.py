"""How far ahead dates are materialized and shown."""

import datetime as dt

from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_timezone

#: Maximum days ahead for which dates can be materialized.
FARTHEST_DAYS = 3650
#: How long a date stays in feeds after its end.
RETENTION = dt.timedelta(days=90)


def horizon() -> dt.date:
    """Return the last day, in the site's time zone, for which open-ended rules are materialized and feeds have dates."""
    days = min(max(int(get_setting("recurrence.horizon_days")), 0), FARTHEST_DAYS)
    return today() + dt.timedelta(days=days)


def feed_span() -> tuple[dt.datetime, dt.datetime]:
    """Return the span of feeds: from RETENTION before the site's today to the end of the horizon."""
    return end_of(today() - dt.timedelta(days=1)) - RETENTION, end_of(horizon())


def today() -> dt.date:
    return timezone.now().astimezone(site_timezone()).date()


def end_of(day: dt.date) -> dt.datetime:
    """Return the moment at which a day ends in the site's time zone."""
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), tzinfo=site_timezone())
