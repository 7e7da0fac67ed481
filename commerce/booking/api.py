"""Appointment endpoints: list, retrieve, cancel, complete, mark as no-show."""

from cms_api.core.locks import get_row
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources.appointments import AppointmentResource
from .resources.appointments import appointment as serialized
from .selectors.appointments import appointments
from .services import cancel_appointment, complete_appointment, mark_no_show
from .types.appointments import UPCOMING, AppointmentStatus

APPOINTMENTS = Query(
    filters=(
        Choice(
            "status",
            "The status; `upcoming` is pending or confirmed, and in the future.",
            choices=(*AppointmentStatus.values, UPCOMING),
        ),
        Text("email", "Exact address of the customer, ignoring case.", max_length=254),
        Whole("service_id", "The id of the service."),
        Whole("staff_id", "The id of the member of staff."),
        Instant("from", "Starts at or after this instant, or on or after this day."),
        Instant("to", "Starts at or before this instant, or on or before this day.", end_of_day=True),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "starts_at": "starts_at"}),
)


class Appointments(Endpoint):
    @operation("List appointments", query=APPOINTMENTS, answer=AppointmentResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        query = dict(request.query)
        found = appointments(first=query.pop("from", None), last=query.pop("to", None), **query)
        return answer_list(request, Listing(found, serialize))


class OneAppointment(Endpoint):
    @operation("Read an appointment", answer=AppointmentResource)
    def get(self, request: ApiRequest, appointment: int) -> Answer:
        return answer_one(request, serialized(get_row(appointments(), appointment)))


class CancelAppointment(Endpoint):
    @operation(
        "Cancel an appointment",
        description="Cancels a pending or confirmed appointment, emails the customer and fires `booking.cancelled`. Nothing is "
        "refunded. Cancelling again changes nothing; one that is completed, or was a no-show, is refused.",
        answer=AppointmentResource,
    )
    def post(self, request: ApiRequest, appointment: int) -> Answer:
        cancel_appointment(appointment=get_row(appointments(), appointment))
        return wire.one(serialized(get_row(appointments(), appointment)))


class CompleteAppointment(Endpoint):
    @operation(
        "Complete an appointment",
        description="Completes a confirmed appointment and fires `booking.completed`. One of any other status is refused.",
        answer=AppointmentResource,
    )
    def post(self, request: ApiRequest, appointment: int) -> Answer:
        return wire.one(serialized(complete_appointment(appointment=get_row(appointments(), appointment))))


class NoShow(Endpoint):
    @operation(
        "Mark an appointment as no-show",
        description="Notes that the customer of a confirmed appointment did not come. One of any other status is refused.",
        answer=AppointmentResource,
    )
    def post(self, request: ApiRequest, appointment: int) -> Answer:
        return wire.one(serialized(mark_no_show(appointment=get_row(appointments(), appointment))))
