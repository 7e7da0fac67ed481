"""The booking module: services, staff and appointments."""

from cms_api.core.module import AccountPage, Admin, Api, Event, Job, Module, Pages, Records, Route, Row, SettingKey

from .mails import MAILS

_API = "commerce.booking.api."
_ONE = "booking/appointments/<id:appointment>"
_WRITES = {"POST": "booking:write"}

_DOCUMENT = "commerce.booking.resources.appointments.AppointmentResource"
_RESOURCE = "commerce.booking.resources.appointments.appointment"

MODULE = Module(
    name="booking",
    title="Online booking",
    description="Bookable services, staff and appointments.",
    feature="booking",
    uses=("accounts", "payments"),
    api=Api(
        group="Commerce",
        abilities={"booking:read": "Read appointments", "booking:write": "Cancel and complete appointments"},
        routes=(
            Route("booking/appointments", f"{_API}Appointments", {"GET": "booking:read"}),
            Route(_ONE, f"{_API}OneAppointment", {"GET": "booking:read"}),
            Route(f"{_ONE}/cancel", f"{_API}CancelAppointment", _WRITES),
            Route(f"{_ONE}/complete", f"{_API}CompleteAppointment", _WRITES),
            Route(f"{_ONE}/no-show", f"{_API}NoShow", _WRITES),
        ),
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
    ),
    pages=Pages(
        urls="commerce.booking.urls.urlpatterns",
        account_pages=(AccountPage("Bookings", "View your appointments", "/accounts/bookings/"),),
        sitemap="commerce.booking.feeds.sections",
        searches=("commerce.booking.feeds.SERVICES",),
        footer_links="commerce.booking.feeds.footer_links",
        rows=(Row("booking", "commerce.booking.rows.BookingBlock"),),
        record_pages=("booking.service",),
    ),
    admin=Admin(
        viewsets=("commerce.booking.admin.BOOKING",),
        menu=("commerce.booking.admin.CALENDAR",),
        menu_group="sales",
        menu_order=25,
        cards={
            "commerce.booking.admin.cards.todays_appointments": "booking.view_appointment",
            "commerce.booking.admin.cards.pending_appointments": "booking.change_appointment",
            "commerce.booking.admin.cards.calendars": "booking.change_staff",
        },
        first_steps={
            "commerce.booking.admin.cards.add_service": "booking.add_service",
            "commerce.booking.admin.cards.add_staff": "booking.add_staff",
        },
        roles=("manager",),
    ),
    records=Records(
        payables={"appointment": "commerce.booking.services.paying.APPOINTMENTS"},
        media_usage="commerce.booking.services.media_usage.MEDIA_USAGE",
        demo="commerce.booking.demo.load",
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
    mails=MAILS,
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
