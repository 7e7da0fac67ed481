"""Appointments in the admin."""

from typing import Any

from django.db.models import QuerySet
from django.template.defaultfilters import linebreaksbr
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.views import AddView
from cms_api.text.search import matching
from commerce.common.admin.cells import figure
from commerce.sales.admin import (
    ON_ITS_WAY,
    BalanceForm,
    SaleStatusColumn,
    SaleViewSet,
    amounts_for_csv,
    currency,
    payment_button,
    price_words,
    refund_button,
)
from commerce.sales.resources import Row

from ..models import Appointment, Service, Staff
from ..resources import mails, sums
from ..selectors.appointments import MANAGE_LINK, appointments, of_status
from ..selectors.explaining import departures
from ..services import (
    book_appointment,
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    reschedule_appointment,
)
from ..services.paying import APPOINTMENTS, amount_due
from ..types.appointments import ACTIVE, PAYABLE, UPCOMING, AppointmentStatus
from .calendar import CalendarView
from .forms import BookForm, RescheduleForm
from .moments import site_time
from .openings import OpeningsView
from .parameters import drop_empty

TONES = {
    AppointmentStatus.PENDING: "warning",
    AppointmentStatus.CONFIRMED: "info",
    AppointmentStatus.COMPLETED: "positive",
    AppointmentStatus.NO_SHOW: "critical",
}


def by_status(found: QuerySet[Appointment], name: str, value: str) -> QuerySet[Appointment]:
    return of_status(found, value)


def booked_words(appointment: Appointment, verb: str) -> str:
    """Return what has happened, with a warning where customers could not have done it."""
    ways = departures(appointment)
    warning = f" Note that it is {', and '.join(ways)}." if ways else ""
    return f"{verb} {mails.business_time(appointment)} with {appointment.staff_name}. The customer has been emailed.{warning}"


def moved_words(appointment: Appointment) -> str:
    return booked_words(appointments().select_related("service", "staff").get(pk=appointment.pk), "Rescheduled to")


class BookView(AddView):
    """Books for a customer; may begin with a service, a member of staff and a time of the address."""

    page_title = "Book appointment"
    header_icon = "calendar"
    submit_button_label, submit_button_active_label = "Book", "Booking"

    def get_page_subtitle(self) -> str:
        return self.page_title

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*super().get_breadcrumbs_items()[:-1], {"url": "", "label": self.page_title}]

    def get_initial(self) -> dict[str, Any]:
        query = self.request.GET
        ids = {name: query[name] for name in ("service", "staff") if is_id(query.get(name, ""))}
        time = query.get("starts_at", "")[:30]
        return {**super().get_initial(), **ids, **({} if "\0" in time else drop_empty(start=time))}

    def get_success_message(self, instance: Appointment) -> str:
        return booked_words(instance, f"{instance.service_name} booked for")

    @property
    def find_url(self) -> str:
        """The page that shows which times are free."""
        form: Any = self.form
        values = {name: form[name].value() for name in ("service", "staff")}
        ids = {name: value for name, value in values.items() if is_id(str(value or ""))}
        return set_query_params(reverse("appointments:openings"), ids)


class AppointmentViewSet(SaleViewSet):
    model = Appointment
    payable, customer_link, tones = PAYABLE, MANAGE_LINK, TONES
    icon = "calendar"
    menu_label = "Appointments"
    menu_order = 10
    name = "appointments"
    url_prefix = "booking/appointments"
    pages = ("add", "inspect", "history")
    add_label = "Book appointment"
    add_view_class = BookView
    create_template_name = "booking_admin/book.html"
    inspect_template_name = "booking_admin/appointment.html"
    ordering = ("-starts_at", "-id")
    list_display = (
        RecordColumn("service_name", label="Service", accessor="service_name", sort_key="service_name"),
        NotedColumn("name", label="Customer", note=lambda each: each.email, sort_key="name"),
        Column("staff_name", label="Staff", sort_key="staff_name"),
        SaleStatusColumn(),
        Column("starts_at", label="Starts", accessor=lambda each: site_time(each.starts_at), sort_key="starts_at"),
        Column("total_cents", label="Price", accessor=price_words),
        MomentColumn("created_at", label="Booked"),
    )
    filters = {
        "status": filters.choice([(UPCOMING, "Upcoming"), *AppointmentStatus.choices], method=by_status),
        "service": filters.record(Service.objects.all()),
        "staff": filters.record(Staff.objects.all()),
        "starts_at": filters.date_range("Starts"),
        "created_at": filters.date_range("Booked"),
    }
    search = matching
    search_order = 178
    csv = {
        "Service": "service_name",
        "Staff": "staff_name",
        "Status": "status",
        "Name": "name",
        "Email": "email",
        "Phone": "phone",
        "Starts": "starts_at",
        "Ends": "ends_at",
        "Time zone": "timezone",
        "Place": "location",
        "Video link": "video_url",
        **amounts_for_csv("price", "discount"),
        "Discount code": "discount_code",
        **amounts_for_csv("deposit"),
        "Paid": figure("amount_paid_cents"),
        **amounts_for_csv("balance_due"),
        "Currency": currency,
        "Answers": lambda each: "; ".join(f"{row['question']}: {row['answer'] or ''}" for row in each.intake),
        "Notes": "notes",
        "Booked": "created_at",
        "Confirmed": "confirmed_at",
        "Completed": "completed_at",
        "Cancelled": "cancelled_at",
    }
    form = BookForm
    panels = (
        MultiFieldPanel(
            [FieldPanel("service"), FieldRowPanel([FieldPanel("staff"), FieldPanel("start")])],
            heading="Appointment",
            icon="calendar",
        ),
        MultiFieldPanel(
            [FieldPanel("name"), FieldRowPanel([FieldPanel("email"), FieldPanel("phone")]), FieldPanel("note")],
            heading="Customer",
            icon="user",
        ),
    )
    transitions = (
        Transition(
            "confirm",
            "Confirm",
            calling(confirm_appointment, "appointment"),
            "{record} confirmed. The customer has been emailed.",
            "{record} was already confirmed.",
            offered=lambda each: each.is_pending,
        ),
        Transition(
            "complete",
            "Complete",
            calling(complete_appointment, "appointment"),
            "{record} completed.",
            offered=lambda each: each.status == AppointmentStatus.CONFIRMED,
        ),
        Transition(
            "no-show",
            "No-show",
            calling(mark_no_show, "appointment"),
            "{record} is marked as no-show.",
            offered=lambda each: each.status == AppointmentStatus.CONFIRMED,
        ),
        Transition(
            "reschedule",
            "Reschedule",
            calling(reschedule_appointment, "appointment", "starts_at", "staff"),
            moved_words,
            offered=lambda each: each.is_active,
            form=RescheduleForm,
            on_page=True,
            confirm="The customer gets an email with the new time.",
        ),
        payment_button(
            APPOINTMENTS,
            offered=lambda each: amount_due(each) > 0,
            form=BalanceForm,
            done="Payment for {record} recorded.",
        ),
        refund_button(APPOINTMENTS, offered=lambda each: each.amount_paid_cents > 0),
        Transition(
            "cancel",
            "Cancel appointment",
            calling(cancel_appointment, "appointment"),
            "{record} cancelled. The customer has been emailed.",
            "{record} was already cancelled.",
            offered=lambda each: each.status in ACTIVE,
            serious=True,
            confirm="The customer gets an email. Nothing is refunded.",
        ),
    )

    def records(self) -> QuerySet[Appointment]:
        return appointments().select_related("service", "staff")

    def create(self, values: dict[str, Any], user: Any) -> Appointment:
        customer = {name: values[name] for name in ("name", "email", "phone")} | {"notes": values["note"]}
        booked = {name: values[name] for name in ("service", "staff")}
        return book_appointment(**booked, starts_at=values["start"], values=customer, user=user, by_staff=True)

    def list_buttons(self, user: Any) -> list[BaseButton]:
        return [HeaderButton("Calendar", url=reverse(self.get_url_name("calendar")), icon_name="calendar-alt")]

    def list_more_buttons(self, user: Any) -> list[BaseButton]:
        url = reverse(self.get_url_name("openings"))
        may_add = user.has_perm("booking.add_appointment")
        return [Button("Find a time", url=url, icon_name="calendar-check", priority=50)] if may_add else []

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [
            path("calendar/", self.construct_view(CalendarView), name="calendar"),
            path("openings/", self.construct_view(OpeningsView), name="openings"),
        ]

    def facts(self, record: Appointment) -> dict[str, Any]:
        video = format_html('<a href="{0}">{0}</a>', record.video_url) if record.video_url else None
        return {
            **super().facts(record),
            "Time": f"{mails.business_time(record)} ({record.duration_minutes} min)",
            "Customer's time": mails.customer_time(record),
            "Staff": record.staff_name,
            "Customer": record.name,
            "Email": record.email,
            "Phone": record.phone or None,
            "Place": record.location or None,
            "Video link": video,
            "Notes": linebreaksbr(record.notes, autoescape=True) if record.notes else None,
            "Discount code": record.discount_code or None,
            "Awaits its deposit until": record.reserved_until,
            "Booked": record.created_at,
            "Confirmed": record.confirmed_at,
            "Completed": record.completed_at,
            "Cancelled": record.cancelled_at,
        }

    def get_note(self, sale: Appointment) -> str:
        """Return what a pending appointment waits for."""
        if sale.is_processing:
            return ON_ITS_WAY
        if not sale.is_pending:
            return ""
        return "Awaiting its deposit" if sale.deposit_due_cents else "Awaiting approval"

    def get_sums(self, sale: Appointment) -> list[Row]:
        return sums.of_appointment(sale)

    def get_links(self, sale: Appointment) -> list[tuple[str, str]]:
        day = {"date": str(sale.starts_at.date()), "staff": sale.staff_id}
        return [*super().get_links(sale), (set_query_params(reverse("appointments:calendar"), day), "Show in calendar")]
