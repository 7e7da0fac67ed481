"""Writes of booking."""

from .booking import book_appointment
from .confirming import confirm_appointment
from .ending import cancel_appointment, complete_appointment, mark_no_show
from .moving import reschedule_appointment
from .offers import delete_service, save_service
from .paying import APPOINTMENTS
from .staffing import (
    delete_staff,
    renew_feed,
    save_override,
    save_staff,
    save_time_off,
)

__all__ = [
    "APPOINTMENTS",
    "book_appointment",
    "cancel_appointment",
    "complete_appointment",
    "confirm_appointment",
    "delete_service",
    "delete_staff",
    "mark_no_show",
    "renew_feed",
    "reschedule_appointment",
    "save_override",
    "save_service",
    "save_staff",
    "save_time_off",
]
