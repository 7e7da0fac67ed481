"""The booking module: services, staff and appointments."""

from cms_api.core.module import Event, Module

APPOINTMENT = "commerce.booking.resources.AppointmentResource"

MODULE = Module(
    name="booking",
    title="Online booking",
    description="Bookable services, staff and appointments.",
    feature="booking",
    group="Commerce",
    events=(
        Event("booking.created", "An appointment is confirmed.", document=APPOINTMENT),
        Event(
            "booking.cancelled",
            "An appointment is cancelled.",
            document=APPOINTMENT,
            sample={
                "status": "cancelled",
                "cancelled_at": "2026-03-04T08:10:00+00:00",
                "updated_at": "2026-03-04T08:10:00+00:00",
            },
        ),
        Event(
            "booking.completed",
            "An appointment is completed.",
            document=APPOINTMENT,
            sample={
                "status": "completed",
                "amount_paid_cents": 8100,
                "balance_due_cents": 0,
                "completed_at": "2026-03-10T15:35:00+00:00",
                "updated_at": "2026-03-10T15:35:00+00:00",
            },
        ),
    ),
)
