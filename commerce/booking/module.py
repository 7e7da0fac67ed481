"""The booking module: services, staff and appointments."""

from cms_api.core.module import AccountPage, Block, Event, Job, Mail, Module, Route, Row, SettingKey

_API = "commerce.booking.api."
_ONE = "booking/appointments/<id:appointment>"
_WRITES = {"POST": "booking:write"}
_DOCUMENT = "commerce.booking.resources.appointments.AppointmentResource"
_RESOURCE = "commerce.booking.resources.appointments.appointment"
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

MODULE = Module(
    name="booking",
    title="Online booking",
    description="Bookable services, staff and appointments.",
    feature="booking",
    uses=("accounts", "payments"),
    group="Commerce",
    abilities={"booking:read": "Read appointments", "booking:write": "Cancel and complete appointments"},
    routes=(
        Route("booking/appointments", f"{_API}Appointments", {"GET": "booking:read"}),
        Route(_ONE, f"{_API}OneAppointment", {"GET": "booking:read"}),
        Route(f"{_ONE}/cancel", f"{_API}CancelAppointment", _WRITES),
        Route(f"{_ONE}/complete", f"{_API}CompleteAppointment", _WRITES),
        Route(f"{_ONE}/no-show", f"{_API}NoShow", _WRITES),
    ),
    pages="commerce.booking.urls.urlpatterns",
    account_pages=(AccountPage("Bookings", "View your appointments", "/accounts/bookings/"),),
    payables={"appointment": "commerce.booking.services.paying.APPOINTMENTS"},
    events=(
        Event("booking.created", "An appointment is confirmed.", document=_DOCUMENT, resource=_RESOURCE),
        Event(
            "booking.cancelled",
            "An appointment is cancelled.",
            document=_DOCUMENT,
            resource=_RESOURCE,
            sample={
                "status": "cancelled",
                "cancelled_at": "2026-03-04T08:10:00+00:00",
                "updated_at": "2026-03-04T08:10:00+00:00",
            },
        ),
        Event(
            "booking.completed",
            "An appointment is completed.",
            document=_DOCUMENT,
            resource=_RESOURCE,
            sample={
                "status": "completed",
                "amount_paid_cents": 8100,
                "balance_due_cents": 0,
                "completed_at": "2026-03-10T15:35:00+00:00",
                "updated_at": "2026-03-10T15:35:00+00:00",
            },
        ),
    ),
    mails=(
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
    ),
    settings=(
        SettingKey(
            "booking.reminder_hours",
            int,
            24,
            "Customers get a reminder so many hours before an appointment. 0 for none.",
            title="Hours between the reminder and an appointment",
        ),
        SettingKey(
            "booking.closed_on_holidays",
            bool,
            False,
            "Nobody can be booked on public holidays, except staff who work on them.",
            title="Closed on public holidays",
        ),
        SettingKey(
            "booking.holiday_country",
            str,
            "",
            "Two letters, such as DE. Defaults to the site's country.",
            title="Country of the holidays",
        ),
        SettingKey(
            "booking.holiday_region",
            str,
            "",
            "For holidays of a state or region, such as BY.",
            title="Region of the holidays",
        ),
    ),
    record_pages=("booking.service",),
    rows=(Row("booking", "commerce.booking.rows.BookingBlock"),),
    sitemap="commerce.booking.feeds.sections",
    searches=("commerce.booking.feeds.SERVICES",),
    footer_links="commerce.booking.feeds.footer_links",
    media_usage="commerce.booking.services.media_usage.MEDIA_USAGE",
    viewsets=("commerce.booking.admin.BOOKING",),
    menu=("commerce.booking.admin.CALENDAR",),
    cards=("commerce.booking.admin.cards.appointments", "commerce.booking.admin.cards.calendars"),
    first_steps=("commerce.booking.admin.cards.add_service", "commerce.booking.admin.cards.add_staff"),
    menu_group="sales",
    menu_order=25,
    roles=("manager",),
    demo="commerce.booking.demo.load",
    jobs=(
        Job("lapse_appointments", "commerce.booking.services.housekeeping.lapse_appointments", every=60),
        Job(
            "forget_networks_of_appointments",
            "commerce.booking.services.housekeeping.forget_networks_of_appointments",
            every=3600,
        ),
        Job("read_outside_calendars", "commerce.booking.services.calendars.refresh_calendars", every=300),
        Job("remind_of_appointments", "commerce.booking.services.reminding.remind_customers", every=300, reaches_people=True),
    ),
)
