"""Tickets in the admin, by attendee."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import NotedColumn, RecordColumn, StatusColumn, TransitionsColumn, local_date, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.cells import link

from ..models import AttendeeTicket
from ..resources import mails
from ..resources.documents import space_out
from ..selectors.orders import TICKET_LINK, order_url, tickets
from ..services.checking_in import check_in, undo_check_in
from ..services.ending import void_tickets
from ..services.transferring import rename_attendee, renew_code, transfer_ticket
from ..types.orders import ADMITS, TicketStatus, code_key
from .dates import EventFilter, StartFilter, types_of_event
from .door import DoorListView, DoorsView, DoorView
from .messages import MessageView
from .order_forms import NameForm, TransferForm
from .orders import TICKET_TONES

ADMITTING = "admits"


def find(found: QuerySet[AttendeeTicket], text: str) -> QuerySet[AttendeeTicket]:
    """Search tickets by code, which people type in two groups, or by the names and addresses."""
    key = code_key(text)
    if key and found.filter(code=key).exists():
        return found.filter(code=key)
    return matching(found, text)


def by_status(found: QuerySet[AttendeeTicket], name: str, value: str) -> QuerySet[AttendeeTicket]:
    return found.filter(status__in=ADMITS if value == ADMITTING else (value,))


def arrive(ticket: AttendeeTicket, user: Any, values: Mapping[str, Any]) -> bool:
    _, was_before = check_in(ticket=ticket, user=user)
    return not was_before


def undo(ticket: AttendeeTicket, user: Any, values: Mapping[str, Any]) -> bool:
    return undo_check_in(ticket=ticket, user=user)


def void(ticket: AttendeeTicket, user: Any, values: Mapping[str, Any]) -> bool:
    return bool(void_tickets(order=ticket.order, tickets=[ticket.pk], user=user))


def transfer(ticket: AttendeeTicket, user: Any, values: Mapping[str, Any]) -> Any:
    return transfer_ticket(ticket=ticket, name=values["name"], email=values["email"], user=user)


def rename(ticket: AttendeeTicket, user: Any, values: Mapping[str, Any]) -> Any:
    return rename_attendee(ticket=ticket, name=values["name"], user=user)


def arrival(ticket: AttendeeTicket) -> str:
    return local_date(ticket.checked_in_at)


def checked_in_by(ticket: AttendeeTicket) -> str:
    """Return the member of staff; empty for a ticket that is not checked in, and for a check-in through the API."""
    return person(ticket.checked_in_by)


class AttendeeViewSet(RecordViewSet):
    model = AttendeeTicket
    icon = "group"
    menu_label = "Attendees"
    menu_order = 30
    name = "attendees"
    url_prefix = "tickets/attendees"
    pages = ("inspect",)
    inspect_template_name = "ticketing_admin/attendee.html"
    list_display = (
        RecordColumn("attendee_name", label="Name", accessor="attendee"),
        NotedColumn("code", label="Ticket", accessor="type_name", note=lambda ticket: space_out(ticket.code)),
        NotedColumn(
            "event",
            label="Event",
            accessor=lambda ticket: ticket.order.title,
            note=lambda ticket: mails.start_words(ticket.start),
        ),
        StatusColumn("status", label="Status", tone=lambda ticket: TICKET_TONES.get(ticket.status, "")),
        NotedColumn("checked_in_at", label="Checked in", accessor=arrival, note=checked_in_by),
        Column("order", label="Order", accessor=lambda ticket: link(ticket.order, order_url(ticket.order_id))),
        TransitionsColumn("actions", label="Actions", accessor=lambda ticket: ""),
    )
    filters = {
        "event": EventFilter(),
        "start": StartFilter(lambda event: AttendeeTicket.objects.filter(event=event)),
        "ticket_type": filters.record(types_of_event, label="Ticket type"),
        "status": filters.choice([(ADMITTING, "Not void"), *TicketStatus.choices], method=by_status),
    }
    search = find
    search_order = 177
    csv = {
        "Name": "attendee",
        "Email": "email",
        "Ticket type": "type_name",
        "Code": "code",
        "Event": lambda ticket: ticket.order.title,
        "Date": "start",
        "Status": "status",
        "Order": "order.number",
        "Buyer": "order.name",
        "Buyer's email": "order.email",
        "Checked in": "checked_in_at",
        "Checked in by": checked_in_by,
        "Answers": lambda ticket: "; ".join(f"{row['question']}: {row['answer'] or ''}" for row in ticket.answers),
        "Created": "created_at",
    }
    transitions = (
        Transition(
            "check_in",
            "Check in",
            arrive,
            lambda ticket: f"{ticket.attendee} checked in.",
            "This ticket was already checked in.",
            offered=lambda ticket: ticket.status == TicketStatus.VALID,
        ),
        Transition(
            "undo",
            "Undo check-in",
            undo,
            lambda ticket: f"The check-in of {ticket.attendee} is undone.",
            "This ticket was not checked in.",
            offered=lambda ticket: ticket.status == TicketStatus.CHECKED_IN,
        ),
        Transition(
            "transfer",
            "Transfer",
            transfer,
            "The ticket is transferred. Both holders have been emailed.",
            offered=lambda ticket: ticket.status == TicketStatus.VALID,
            form=TransferForm,
            on_page=True,
            confirm="The ticket gets a new code, and the old one is no longer valid.",
        ),
        Transition(
            "renew_link",
            "Renew link",
            calling(renew_code, "ticket"),
            "The ticket has a new code and link. {record.attendee} has been emailed.",
            offered=lambda ticket: ticket.status == TicketStatus.VALID,
            serious=True,
            confirm=lambda ticket: (
                f"The link to the ticket of {ticket.attendee} stops working, and so does a printed ticket. "
                f"{ticket.attendee} gets the new one by email."
            ),
            in_rows=False,
        ),
        Transition(
            "rename",
            "Correct name",
            rename,
            "Name corrected.",
            offered=lambda ticket: ticket.status != TicketStatus.VOID,
            form=NameForm,
            on_page=True,
            confirm="The code stays. Nobody gets an email.",
        ),
        Transition(
            "void",
            "Void",
            void,
            "Ticket {record} voided.",
            "This ticket was already void.",
            offered=lambda ticket: ticket.status != TicketStatus.VOID,
            serious=True,
            confirm=lambda ticket: (
                f"{ticket.attendee} can't get in any more, and the seat can be sold again. Nothing is refunded: refund the order "
                f"{ticket.order} to give money back."
            ),
        ),
    )

    def records(self) -> QuerySet[AttendeeTicket]:
        return tickets()

    def get_name(self, record: AttendeeTicket) -> str:
        return record.attendee

    def list_buttons(self, user: Any) -> list[BaseButton]:
        if not user.has_perm("ticketing.change_attendeeticket"):
            return []
        return [HeaderButton("Door", url=reverse(self.get_url_name("doors")), icon_name="success")]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [
            path("door/", self.construct_view(DoorsView), name="doors"),
            path("door/<id:pk>/", self.construct_view(DoorView), name="door"),
            path("door-list/<id:pk>/", self.construct_view(DoorListView), name="door_list"),
            path("message/<id:pk>/", self.construct_view(MessageView), name="message"),
        ]

    def record_buttons(self, record: AttendeeTicket, user: Any) -> list[BaseButton]:
        if record.status == TicketStatus.VOID:
            return []
        return [Button("Ticket page", url=TICKET_LINK.path(record), icon_name="view", priority=12)]

    def facts(self, record: AttendeeTicket) -> dict[str, Any]:
        order = record.order
        is_transferred = bool(record.holder_email)
        return {
            "Status": record.get_status_display(),
            "Name": record.attendee,
            "Email": f"{record.email} (transferred)" if is_transferred else record.email,
            "Ticket type": record.type_name,
            "Code": space_out(record.code),
            "Event": order.title,
            "Date": mails.start_words(record.start),
            "Order": link(order, order_url(order.pk)),
            "Bought by": order.name if is_transferred else None,
            "Checked in": record.checked_in_at,
            "Checked in by": checked_in_by(record) or None,
            "Void since": record.voided_at,
            "Created": record.created_at,
        }

    def inspect_context(self, record: AttendeeTicket, request: HttpRequest) -> dict[str, Any]:
        scans = record.scans.select_related("user").order_by("-scanned_at", "-pk")[:20]
        return {"scans": [(local_date(scan.scanned_at), scan.get_result_display(), person(scan.user)) for scan in scans]}
