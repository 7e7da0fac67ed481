"""Counts the uses of discount codes: an appointment has one from its booking until it is cancelled."""

from commerce.common.services.discounts import give_back_use, take_use

from ..models import Appointment, BookingCode
from ..selectors.pricing import check_booking_code


def redeem(appointment: Appointment, code: BookingCode) -> None:
    """Count a use of a discount code. The caller saves the appointment.

    Raises Invalid (`discount_code`); the caller's transaction must then be rolled back.
    """
    take_use(code)
    if code.max_uses_per_customer is not None:
        # Bookings with the same code wait for each other here, so that it is counted again.
        check_booking_code(code, appointment.price_cents, email=appointment.email)
    appointment.has_redeemed = True


def give_up_use(appointment: Appointment) -> None:
    """Give back the use of an appointment's discount code. The caller saves the appointment."""
    if appointment.has_redeemed:
        give_back_use(BookingCode, appointment.code_id)
        appointment.has_redeemed = False
