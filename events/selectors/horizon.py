"""How far ahead dates are looked at."""

import datetime as dt

from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_timezone

#: Days ahead for which dates can be laid out at most.
FARTHEST = 3650


def horizon() -> dt.date:
    """The last day up to which rules without end are laid out, and calendars told, by the site's clocks."""
    days = min(max(int(get_setting("recurrence.horizon_days")), 0), FARTHEST)
    return timezone.now().astimezone(site_timezone()).date() + dt.timedelta(days=days)
