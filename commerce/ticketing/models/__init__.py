"""Tables of ticketing. A date of an event is named by its local start, as `events.selectors.rsvps.start_of` returns it."""

from .announcements import Announcement
from .orders import AttendeeTicket, RevokedCode, Scan, TicketOrder, TicketOrderItem
from .sales import PromoCode, Quota, TicketSales, TicketType
from .seats import Reservation, ReservedSeats, WaitingEntry

__all__ = [
    "Announcement",
    "AttendeeTicket",
    "PromoCode",
    "Quota",
    "Reservation",
    "ReservedSeats",
    "RevokedCode",
    "Scan",
    "TicketOrder",
    "TicketOrderItem",
    "TicketSales",
    "TicketType",
    "WaitingEntry",
]
