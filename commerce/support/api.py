"""Ticket endpoints: list, retrieve, reply, set the status, assign."""

from cms_api.core.not_found import found_or_404
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import Listing, Rows, answer_list, answer_one
from cms_api.http.query import Choice, Flag, Instant, Query, Sort, Text, Whole
from cms_api.http.wire import Answer, Record

from .resources.tickets import (
    AssignInput,
    ReplyInput,
    StatusInput,
    SupportMessageResource,
    SupportTicketDetailResource,
    SupportTicketResource,
)
from .resources.tickets import message as message_of
from .resources.tickets import ticket as serialized
from .resources.tickets import ticket_detail as detail
from .selectors.tickets import get_ticket, tickets
from .services import assign_ticket, reply_as_staff, set_status
from .types.tickets import AWAITING_STAFF, Channel, Priority, TicketStatus

TICKETS = Query(
    filters=(
        Choice("status", "The status; `awaiting_staff` is the same as `open`.", choices=(*TicketStatus.values, AWAITING_STAFF)),
        Choice("priority", "The priority.", choices=tuple(Priority.values)),
        Text("email", "Exact address of the requester, ignoring case.", max_length=254),
        Whole("assigned_to", "The id of the assignee."),
        Whole("category_id", "The id of the category."),
        Instant("since", "Created at or after this instant or day."),
        Flag("include_spam", "Whether spam is listed too.", False),
    ),
    sort=Sort({"created_at": "created_at", "updated_at": "updated_at", "last_message_at": "last_message_at"}),
)


class Tickets(Endpoint):
    @operation("List support tickets", query=TICKETS, answer=SupportTicketResource, kind="list")
    def get(self, request: ApiRequest) -> Answer:
        def serialize(rows: Rows) -> list[Record]:
            return [serialized(row) for row in rows]

        return answer_list(request, Listing(tickets(**request.query), serialize))


class OneTicket(Endpoint):
    @operation("Read a support ticket", answer=SupportTicketDetailResource)
    def get(self, request: ApiRequest, ticket: int) -> Answer:
        return answer_one(request, detail(found_or_404(get_ticket(ticket))))


class Replies(Endpoint):
    @operation(
        "Reply to a support ticket",
        description="Posts an answer by the support team: it is emailed to the requester, the ticket becomes `pending`, and the "
        "first response is stamped. With `internal`, it is a note that changes nothing else. A closed ticket is refused: reopen "
        "it first.",
        body=ReplyInput,
        answer=SupportMessageResource,
        status=201,
    )
    def post(self, request: ApiRequest, ticket: int) -> Answer:
        found = found_or_404(get_ticket(ticket))
        given = request.input()
        posted = reply_as_staff(ticket=found, message=given["message"], internal=given["internal"], channel=Channel.API)
        return wire.one(message_of(posted), status=201)


class Status(Endpoint):
    @operation(
        "Set the status of a support ticket",
        description="Closing a ticket fires `ticket.closed`. The first time that it is resolved, the requester is asked for a "
        "rating if `support.csat` is on. The same status again changes nothing.",
        body=StatusInput,
        answer=SupportTicketDetailResource,
    )
    def post(self, request: ApiRequest, ticket: int) -> Answer:
        found = found_or_404(get_ticket(ticket))
        return wire.one(detail(set_status(ticket=found, status=request.input()["status"])))


class Assign(Endpoint):
    @operation(
        "Assign a support ticket",
        description="Assigns a ticket to a member of staff, who is emailed, or to nobody.",
        body=AssignInput,
        answer=SupportTicketDetailResource,
    )
    def post(self, request: ApiRequest, ticket: int) -> Answer:
        found = found_or_404(get_ticket(ticket))
        return wire.one(detail(assign_ticket(ticket=found, user_id=request.input()["user_id"])))
