"""Appointments in calendars: the invites of customers, and the feeds of staff. Times are instants, written in UTC."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from cms_api.calendars.events import utc_event
from cms_api.calendars.files import file
from cms_api.calendars.values import person
from cms_api.flags.selectors import get_setting
from cms_api.mail.types import read_address

from ..models import Appointment, Staff
from ..selectors.appointments import MANAGE_LINK, admin_url
from . import mails

MEDIA_TYPE = "text/calendar; charset=utf-8"


def invite(appointment: Appointment, *, cancelled: bool = False) -> bytes:
    """Return an invitation to a customer as `text/calendar`: `method=REQUEST`, or `CANCEL` (RFC 5546).

    Its UID stays the same for life, and its SEQUENCE grows when the appointment is moved or cancelled.
    """
    organizer = read_address(settings.BUSINESS_EMAIL or settings.DEFAULT_FROM_EMAIL).address
    stance = {"CUTYPE": "INDIVIDUAL", "ROLE": "REQ-PARTICIPANT", "PARTSTAT": "ACCEPTED", "RSVP": "FALSE"}
    link = MANAGE_LINK.url(appointment)
    event = utc_event(
        uid=uid(appointment),
        start=appointment.starts_at,
        end=appointment.ends_at,
        sequence=appointment.sequence,
        stamp=timezone.now(),
        summary=f"{appointment.service_name} ({appointment.staff_name})",
        description="\n".join(filter(None, (appointment.shared_video_url, f"Reschedule or cancel: {link}"))),
        location=mails.where(appointment),
        url=link,
        organizer=person(str(get_setting("site.name") or "") or organizer, organizer),
        attendee=person(appointment.name, appointment.email, **stance),
        status="CANCELLED" if cancelled else "CONFIRMED",
        created=appointment.created_at,
    )
    return file([event], method="CANCEL" if cancelled else "REQUEST")


def calendar_file(appointment: Appointment) -> bytes:
    """Return a calendar file that customers download: like an invite, but from nobody to nobody."""
    summary = f"{appointment.service_name} ({appointment.staff_name})"
    return file([_event(appointment, summary, MANAGE_LINK.url(appointment), mails.where(appointment))])


def staff_feed(staff: Staff, found: Iterable[Appointment]) -> bytes:
    """Return the private feed of a member of staff."""
    events = [
        _event(
            each,
            f"{each.service_name}: {each.name}",
            settings.BASE_URL + admin_url(each.pk),
            mails.staff_where(each),
            mails.details(each),
        )
        for each in found
    ]
    return file(events, title=f"Bookings of {staff.name}", refresh=True)


def _event(appointment: Appointment, summary: str, url: str, location: str, description: str = "") -> str:
    return utc_event(
        uid=uid(appointment),
        start=appointment.starts_at,
        end=appointment.ends_at,
        sequence=appointment.sequence,
        stamp=appointment.updated_at,
        summary=summary,
        description=description,
        location=location,
        url=url,
        status="TENTATIVE" if appointment.is_pending else "CONFIRMED",
        created=appointment.created_at,
        changed=appointment.updated_at,
    )


def uid(appointment: Appointment) -> str:
    return f"appointment-{appointment.external_id}@{urlsplit(settings.BASE_URL).hostname or 'localhost'}"
