"""The emails of the booking module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_APPOINTMENT = {
    "name": Placeholder("The customer's first name", "Dana"),
    "service": Placeholder("The name of the service", "Wheel throwing, one to one"),
    "staff": Placeholder("The name of the member of staff", "Robin Vale"),
    "when": Placeholder("The day and time, on the customer's clock", "Tuesday, March 10, 2026, 10:00 AM (America/New York)"),
    "where": Placeholder("The location, and the video link once it is confirmed; may be empty", "14 Canal Street"),
    "manage_url": Placeholder(
        "The page on which the customer can reschedule or cancel", "https://example.org/booking/manage/77:6Jt0pWq3/"
    ),
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
        placeholders={
            **_APPOINTMENT,
            "summary": Placeholder(
                "The price, and the amount paid",
                Block(
                    "Price: $90.00\nPaid: $20.00",
                    "<table><tr><th>Price</th><td>$90.00</td></tr><tr><th>Paid</th><td>$20.00</td></tr></table>",
                ),
            ),
        },
    ),
    Mail(
        "booking_requested",
        "Tells a customer that an appointment will be confirmed by staff.",
        subject="We've received your request: {{ service }}",
        placeholders=_APPOINTMENT,
    ),
    Mail(
        "booking_changed",
        "Tells a customer that an appointment was rescheduled, with a calendar invite.",
        subject="Rescheduled: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
    ),
    Mail(
        "booking_cancelled",
        "Tells a customer that an appointment was cancelled, for the calendar too.",
        subject="Cancelled: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
    ),
    Mail(
        "booking_reminder",
        "Reminds a customer of an appointment.",
        subject="Reminder: {{ service }}, {{ when }}",
        placeholders=_APPOINTMENT,
    ),
    Mail(
        "booking_notice",
        "Tells staff about a booking, a new time, or a cancellation.",
        subject="{{ news }}: {{ service }}, {{ when }}",
        placeholders={
            "news": Placeholder("“New booking”, “Please confirm”, “Rescheduled” or “Cancelled”", "New booking"),
            "service": Placeholder("The name of the service", _SAMPLE["service"]),
            "staff": Placeholder("The name of the member of staff", _SAMPLE["staff"]),
            "customer": Placeholder("The customer's name", "Dana Reyes"),
            "when": Placeholder("The day and time, on the clock of the member of staff", _SAMPLE["when"]),
            "details": Placeholder(
                "The input of the customer, a line for each",
                "Email: dana.reyes@example.com\nHave you thrown before?: Twice, long ago.",
            ),
            "admin_url": Placeholder(
                "The address of the appointment in the admin", "https://example.org/admin/booking/appointments/inspect/77/"
            ),
        },
        to_staff=True,
    ),
)
