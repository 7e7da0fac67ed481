"""Services, staff with their hours, and appointments."""

from .appointments import Appointment, BookedSlot
from .services import BookingCode, Service
from .staff import BusyTime, DateOverride, Staff, TimeOff, WorkingHours

__all__ = [
    "Appointment",
    "BookedSlot",
    "BookingCode",
    "BusyTime",
    "DateOverride",
    "Service",
    "Staff",
    "TimeOff",
    "WorkingHours",
]
