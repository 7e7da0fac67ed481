"""Ticketing endpoints: list and retrieve orders and tickets, check a ticket in."""

from cms_api.core.locks import get_row
from cms_api.core.not_found import NotFound, found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .models import AttendeeTicket
from .resources.orders import (
    AttendeeTicketResource,
    ScannedTicketResource,
    TicketOrderDetailResource,
    TicketOrderResource,
    attendee_ticket,
    scanned_ticket,
    ticket_order,
    ticket_order_detail,
)
from .selectors import orders as selectors
from .services.checking_in import check_in
from .types.orders import OrderStatus, TicketStatus

_EMAIL = Text("email", "Exact address of the buyer, ignoring case.", max_length=254)
_SORT = Sort({"created_at": "created_at", "updated_at": "updated_at"})
ORDERS = Query(
    filters=(
        Choice("status", "The status.", choices=tuple(OrderStatus.values)),
        Whole("event_id", "The id of the event."),
        _EMAIL,
        Instant("since", "Created at or after this instant, or on or after this day."),
    ),
    sort=_SORT,
)
TICKETS = Query(
    filters=(
        Choice("status", "The status.", choices=tuple(TicketStatus.values)),
        Whole("event_id", "The id of the event."),
        Whole("order_id", "The id of the order."),
        _EMAIL,
    ),
    sort=_SORT,
)


class TicketOrders(Endpoint):
    @operation("List ticket orders", query=ORDERS, answer=TicketOrderResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [ticket_order(row) for row in rows]

        return answer_list(request, Listing(selectors.orders(**request.query), serialize))


class OneTicketOrder(Endpoint):
    @operation("Read a ticket order with its tickets", answer=TicketOrderDetailResource)
    def get(self, request: ApiRequest, order: int) -> Answer:
        found = get_row(selectors.orders(), order)
        return answer_one(request, ticket_order_detail(found))


class Tickets(Endpoint):
    @operation("List tickets", query=TICKETS, answer=AttendeeTicketResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [attendee_ticket(row) for row in rows]

        return answer_list(request, Listing(selectors.tickets(**request.query), serialize))


class OneTicket(Endpoint):
    @operation("Read a ticket", answer=AttendeeTicketResource)
    def get(self, request: ApiRequest, ticket: str) -> Answer:
        return answer_one(request, attendee_ticket(found_or_404(selectors.find_ticket(ticket))))


#: The key of `meta` in the answer to a check-in.
_ALREADY = {"type": "boolean", "description": "Whether the ticket had been checked in before.", "examples": [False]}


class CheckIn(Endpoint):
    @operation(
        "Check a ticket in",
        description="Of any number of requests at once, one is the first. `meta.already_checked_in` is true for the others, "
        "which change nothing. A void ticket is refused.",
        answer=AttendeeTicketResource,
        meta={"already_checked_in": _ALREADY},
    )
    def post(self, request: ApiRequest, ticket: str) -> Answer:
        current, was_before = check_in(ticket=found_or_404(selectors.find_ticket(ticket)))
        return wire.one(attendee_ticket(current), meta={"already_checked_in": was_before})


_BY_CODE = "It takes the printed code alone, and if the token is for one event, that of no other event's ticket."


class ScannedTicket(Endpoint):
    @operation("Read a ticket by its code", description=_BY_CODE, answer=ScannedTicketResource)
    def get(self, request: ApiRequest, ticket: str) -> Answer:
        return answer_one(request, scanned_ticket(_scanned_or_404(request, ticket)))


class ScannedCheckIn(Endpoint):
    @operation(
        "Check a ticket in by its code",
        description=_BY_CODE,
        answer=ScannedTicketResource,
        meta={"already_checked_in": _ALREADY},
    )
    def post(self, request: ApiRequest, ticket: str) -> Answer:
        current, was_before = check_in(ticket=_scanned_or_404(request, ticket))
        return wire.one(scanned_ticket(current), meta={"already_checked_in": was_before})


def _scanned_or_404(request: ApiRequest, code: str) -> AttendeeTicket:
    found = selectors.find_by_code(code)
    if found is None or request.token.scope_id not in {None, found.event_id}:
        raise NotFound
    return found
