"""The emails of the booking module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_APPOINTMENT = {
    "name": "The customer's first name",
    "service": "The name of the service",
    "staff": "The name of the member of staff",
    "when": "The day and time, on the customer's clock",
    "where": "The location, and the video link once it is confirmed; may be empty",
    "manage_url": "The page on which the customer can reschedule or cancel",
}

_SAMPLE = {
    "name": "Dana",
    "service": "Wheel throwing, one to one",
    "staff": "Robin Vale",
    "when": "Tuesday, March 10, 2026, 10:00 AM (America/New York)",
    "where": "14 Canal Street",
    "manage_url": "https://example.org/booking/manage/77:6Jt0pWq3/",
}

MAILS = (
    Mail(
        "booking_confirmed",
        "Confirms an appointment to its customer, with a calendar invite.",
        subject="Confirmed: {{ service }}, {{ when }}",
        placeholders={**_APPOINTMENT, "summary": "The price, and the amount paid"},
        sample={
            **_SAMPLE,
            "summary": Block(
                "Price: $90.00\nPaid: $20.00",
                "<table><tr><th>Price</th><td>$90.00</td></tr><tr><th>Paid</th><td>$20.00</td></tr></table>",
            ),
        },
    ),
    Mail(
        "booking_requested",
        "Tells a customer that an appointment will be confirmed by staff.",
        subject="We've received your request: {{ service }}",
        placeholders=_APPOINTMENT,
        sample=_SAMPLE,
    ),
    Mail(
        "booking_changed",
        "Tells a customer that an appointment was rescheduled, with a calendar invite.",
        subject="Rescheduled: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
        sample=_SAMPLE,
    ),
    Mail(
        "booking_cancelled",
        "Tells a customer that an appointment was cancelled, for the calendar too.",
        subject="Cancelled: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
        sample=_SAMPLE,
    ),
    Mail(
        "booking_reminder",
        "Reminds a customer of an appointment.",
        subject="Reminder: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
        sample=_SAMPLE,
    ),
    Mail(
        "booking_notice",
        "Tells staff about a booking, a new time, or a cancellation.",
        subject="{{ news }}: {{ service }}, {{ when }}",
        placeholders={
            "news": "“New booking”, “Please confirm”, “Rescheduled” or “Cancelled”",
            "service": "The name of the service",
            "staff": "The name of the member of staff",
            "customer": "The customer's name",
            "when": "The day and time, on the clock of the member of staff",
            "details": "The input of the customer, a line for each",
            "admin_url": "The address of the appointment in the admin",
        },
        sample={
            "news": "New booking",
            "service": _SAMPLE["service"],
            "staff": _SAMPLE["staff"],
            "customer": "Dana Reyes",
            "when": _SAMPLE["when"],
            "details": "Email: dana.reyes@example.com\nHave you thrown before?: Twice, long ago.",
            "admin_url": "https://example.org/admin/booking/appointments/inspect/77/",
        },
        to_staff=True,
    ),
)
