"""Emails about appointments, and their entries in the timelines of contacts."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Attachment, Visitor
from commerce.common.types import salutation
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Appointment, Staff
from ..resources import mails
from ..resources.calendars import invite
from ..selectors.appointments import MANAGE_LINK, admin_url

SOURCE = "booking"
#: The news for staff: the first words of the subject.
BOOKED, REQUESTED, MOVED, CANCELLED = "New booking", "Please confirm", "Rescheduled", "Cancelled"


def record_booked(appointment: Appointment) -> None:
    """Create or fill in the customer's contact while the CRM is on, and record the booking in its timeline."""
    activity = _activity(appointment, f"Booked {appointment.service_name} for {mails.business_time(appointment)}")
    record_customer(email=appointment.email, name=appointment.name, phone=appointment.phone, source=SOURCE, activity=activity)


def record_moved(appointment: Appointment) -> None:
    _record(appointment, f"{appointment.service_name} rescheduled to {mails.business_time(appointment)}")


def record_cancelled(appointment: Appointment) -> None:
    _record(appointment, f"{appointment.service_name} on {mails.business_time(appointment)} cancelled")


def record_completed(appointment: Appointment) -> None:
    _record(appointment, f"{appointment.service_name} completed")


def record_no_show(appointment: Appointment) -> None:
    _record(appointment, f"{appointment.service_name} on {mails.business_time(appointment)}: no-show")


def _record(appointment: Appointment, summary: str) -> None:
    record_activity(email=appointment.email, activity=_activity(appointment, summary))


def _activity(appointment: Appointment, summary: str) -> NewActivity:
    return NewActivity(ActivityKind.BOOKING, summary, link=admin_url(appointment.pk))


def request_approval(appointment: Appointment) -> None:
    """Tell the customer that somebody will confirm the appointment, and ask the staff to."""
    _send("booking_requested", appointment)
    notify_staff(appointment, REQUESTED)


def send_confirmed(appointment: Appointment) -> None:
    _send("booking_confirmed", appointment, {"summary": mails.summary(appointment)}, method="REQUEST")


def send_changed(appointment: Appointment) -> None:
    """Tell the customer the new time; the invite replaces the former one."""
    _send("booking_changed", appointment, method="" if appointment.is_pending else "REQUEST")


def send_cancelled(appointment: Appointment, *, has_invite: bool) -> None:
    """Tell the customer that the appointment is cancelled; a calendar that has its invite removes it."""
    _send("booking_cancelled", appointment, method="CANCEL" if has_invite else "")


def send_reminder(appointment: Appointment) -> None:
    _send("booking_reminder", appointment)


def _send(template: str, appointment: Appointment, more: Mapping[str, Any] | None = None, *, method: str = "") -> None:
    context = {
        "name": salutation(appointment.name),
        "service": appointment.service_name,
        "staff": appointment.staff_name,
        "when": mails.customer_time(appointment),
        "where": mails.where(appointment),
        "manage_url": MANAGE_LINK.url(appointment),
    }
    attachments = []
    if method:
        content = invite(appointment, cancelled=method == "CANCEL")
        attachments.append(Attachment("invite.ics", content, f"text/calendar; method={method}; charset=utf-8"))
    is_reminder = template == "booking_reminder"
    about = "" if is_reminder else _about(appointment)
    queue(
        template=template,
        to=[appointment.email],
        context={**context, **(more or {})},
        attachments=attachments,
        about=about,
        entered_by=Visitor(appointment.user) if is_reminder else None,
    )


def notify_staff(appointment: Appointment, news: str, *, staff: Staff | None = None) -> None:
    """Email the member of staff, or one who had the appointment before, or else the business; an answer goes to the customer."""
    context = {
        "news": news,
        "service": appointment.service_name,
        "staff": appointment.staff_name,
        "customer": appointment.name,
        "when": mails.staff_time(appointment, staff),
        "details": mails.details(appointment),
        "admin_url": settings.BASE_URL + admin_url(appointment.pk),
    }
    queue_to_business(
        template="booking_notice",
        to=[(staff or appointment.staff).email],
        context=context,
        reply_to=appointment.email,
        about=_about(appointment),
    )


def _about(appointment: Appointment) -> str:
    return f"booking:{appointment.pk}"
