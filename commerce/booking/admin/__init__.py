"""Booking in the admin."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy
from wagtail.admin.menu import MenuItem
from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount
from commerce.sales.admin import register_sale_actions

from .appointments import AppointmentViewSet
from .discounts import BookingCodeViewSet
from .hours import OverrideViewSet, TimeOffViewSet
from .moments import site_time
from .services import ServiceViewSet
from .staff import StaffViewSet


class BookingGroup(ModelViewSetGroup):
    menu_label = "Booking"
    menu_icon = "calendar"
    items = (AppointmentViewSet, ServiceViewSet, StaffViewSet, OverrideViewSet, TimeOffViewSet, BookingCodeViewSet)


class CalendarItem(MenuItem):
    """The menu entry of the calendar, for people who may see appointments."""

    def is_shown(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("booking.view_appointment"))


BOOKING = BookingGroup()
CALENDAR = CalendarItem("Booking calendar", reverse_lazy("appointments:calendar"), icon_name="calendar-alt")


def _describe_move(data: Mapping[str, Any]) -> str:
    return f"Rescheduled to {site_time(datetime.fromisoformat(data['starts_at']))}"


register_sale_actions("booking")
register_log_actions(
    {
        "booking.book": ("Book", "Booked"),
        "booking.confirm": ("Confirm", "Confirmed"),
        "booking.reschedule": ("Reschedule", _describe_move),
        "booking.cancel": ("Cancel", "Cancelled"),
        "booking.lapse": ("End reservation", "Cancelled: the deposit was not paid in time"),
        "booking.complete": ("Complete", "Completed"),
        "booking.no_show": ("Mark as no-show", "Marked as no-show"),
        "booking.paid": ("Pay", lambda data: f"Paid {logged_amount(data)}"),
        "booking.renew_feed": ("Renew feed address", "The feed address was renewed"),
    }
)
