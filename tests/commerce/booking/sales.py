"""An appointment whose deposit is due: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import APPOINTMENTS, cancel_appointment
from commerce.booking.services.housekeeping import lapse_appointments
from tests.commerce.sales.declaring import (
    CURRENCY,
    LAPSED,
    LOOKING,
    ON_ITS_WAY,
    PAID,
    PENDING,
    PROCESSING,
    UNAPPLIED,
    Kind,
    button,
    has_status,
    linked,
    set_values,
)

from . import builders

KINDS = (
    Kind(
        "appointment",
        make=lambda: builders.make_appointment(builders.make_service(deposit_cents=5000)),
        is_paid=has_status("confirmed"),
        set_amount=lambda record, cents: set_values(record, {"price_cents": cents, "deposit_cents": cents}),
        page=linked(MANAGE_LINK),
        pays_at=button("booking_pay", MANAGE_LINK),
        admin="appointments",
        api="booking/appointments",
        shown={
            PENDING: ("pending", "Pay the deposit to book your appointment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("confirmed", "Your appointment is confirmed."),
            LAPSED: ("cancelled", "This appointment has been cancelled."),
            UNAPPLIED: ("cancelled", "This appointment has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda appointment, cents: APPOINTMENTS.refund(appointment, amount_cents=cents),
        end=lambda appointment: cancel_appointment(appointment=appointment),
        lapses_after=timedelta(hours=1),
        lapse=lapse_appointments,
        is_due_again=True,
        shows_refunds=False,
    ),
)
