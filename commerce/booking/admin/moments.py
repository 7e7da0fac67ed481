"""Times in the admin, on the site's clock."""

from datetime import datetime

from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_formats, site_timezone


def site_time(moment: datetime | None) -> str:
    """Return a day and time; empty where there is none."""
    return site_formats().datetime(moment.astimezone(site_timezone())) if moment else ""


def site_zone_help() -> str:
    return f"Time zone: {zone_label(site_timezone().key)}."
