"""The parts of emails about appointments."""

from datetime import datetime
from zoneinfo import ZoneInfo

from cms_api.core.module import Block
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.resources import sums_block

from ..models import Appointment, Staff
from . import sums

#: Stands for a video link that is not shared.
VIDEO_CALL = "Video call"


def customer_time(appointment: Appointment) -> str:
    """Return the start on the customer's clock: `Monday, March 2, 2026, 6:30 PM (Europe/Berlin)`."""
    return time_in(appointment.starts_at, appointment.zone)


def staff_time(appointment: Appointment, staff: Staff | None = None) -> str:
    """Return the start on the clock of the member of staff, or of one who had the appointment before."""
    return time_in(appointment.starts_at, (staff or appointment.staff).zone)


def business_time(appointment: Appointment) -> str:
    """Return the start on the site's clock."""
    return site_formats().datetime(appointment.starts_at.astimezone(site_timezone()))


def time_in(at: datetime, zone: ZoneInfo) -> str:
    local = at.astimezone(zone)
    return f"{site_formats().weekday_date(local.date())}, {site_formats().time(local)} ({zone_label(zone.key)})"


def where(appointment: Appointment) -> str:
    """Return the place as customers read it: the location and, while the appointment is confirmed, the video link.

    At other times, a place that is only a video link is `Video call`. Empty if the service has neither.
    """
    if appointment.video_url and not appointment.shared_video_url:
        return appointment.location or VIDEO_CALL
    return staff_where(appointment)


def staff_where(appointment: Appointment) -> str:
    """Return the place as staff read it: the location and the video link, in every status; empty if there is neither."""
    return ", ".join(filter(None, (appointment.location, appointment.video_url)))


def summary(appointment: Appointment) -> Block:
    """Return what was booked, and its price."""
    return sums_block([], sums.of_appointment(appointment))


def details(appointment: Appointment) -> str:
    """Return what the customer entered, a line for each."""
    given = [("Email", appointment.email), ("Phone", appointment.phone), ("Notes", appointment.notes)]
    asked = [(each["question"], each["answer"] or "") for each in appointment.intake]
    return "\n".join(f"{label}: {text}" for label, text in [*given, *asked] if text)
