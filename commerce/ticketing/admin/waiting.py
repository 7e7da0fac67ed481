"""The waiting list in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from wagtail.admin.ui.tables import Column, TitleColumn

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, StatusColumn, TransitionsColumn, local_date
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet

from ..models import WaitingEntry
from ..resources.mails import start_words
from ..selectors.orders import waiting_list
from ..services.waiting import leave_waiting_list
from ..types.sales import ON_LIST, WaitingStatus
from .dates import EventFilter, StartFilter

TONES = {WaitingStatus.WAITING: "warning", WaitingStatus.OFFERED: "info", WaitingStatus.BOUGHT: "positive"}


def take_off(entry: WaitingEntry, user: Any, values: Mapping[str, Any]) -> bool:
    return leave_waiting_list(entry=entry)


def offer_note(entry: WaitingEntry) -> str:
    reservation = entry.reservation if entry.status == WaitingStatus.OFFERED else None
    return f"Until {local_date(reservation.until)}" if reservation else ""


class WaitingViewSet(RecordViewSet):
    model = WaitingEntry
    icon = "time"
    menu_label = "Waiting list"
    menu_order = 40
    name = "ticket_waiting"
    url_prefix = "tickets/waiting"
    pages = ()
    search_fields = ["name", "email"]
    list_display = (
        TitleColumn("name", label="Name", sort_key="name"),
        Column("email", label="Email", sort_key="email"),
        NotedColumn(
            "event",
            label="Event",
            accessor=lambda entry: entry.ticket_type.event.title,
            note=lambda entry: start_words(entry.start),
        ),
        NotedColumn(
            "ticket_type",
            label="Tickets",
            accessor=lambda entry: f"{entry.quantity} \N{MULTIPLICATION SIGN} {entry.ticket_type.name}",
        ),
        StatusColumn("status", label="Status", tone=lambda entry: TONES.get(entry.status, ""), note=offer_note),
        MomentColumn("created_at", label="Joined"),
        TransitionsColumn("actions", label="Actions", accessor=lambda entry: ""),
    )
    filters = {
        "status": filters.choice(WaitingStatus.choices),
        "event": EventFilter(field_name="ticket_type__event"),
        "start": StartFilter(lambda event: WaitingEntry.objects.filter(ticket_type__event=event)),
    }
    csv = {
        "Name": "name",
        "Email": "email",
        "Event": "ticket_type.event.title",
        "Date": "start",
        "Ticket type": "ticket_type.name",
        "Tickets": "quantity",
        "Status": "status",
        "Joined": "created_at",
        "Offered": "offered_at",
    }
    transitions = (
        Transition(
            "take_off",
            "Take off the list",
            take_off,
            lambda entry: f"{entry.name} is no longer on the waiting list.",
            "No change: they are not on the list, or are buying the tickets at this moment.",
            offered=lambda entry: entry.status in ON_LIST,
            serious=True,
            confirm=lambda entry: (
                f"{entry.name} gets no email."
                + (" The offered tickets go to the next in line." if entry.status == WaitingStatus.OFFERED else "")
            ),
        ),
    )

    def records(self) -> QuerySet[WaitingEntry]:
        large = ("data", "cached_json", "excerpt", "meta_title", "meta_description")
        return waiting_list().select_related("reservation").defer(*(f"ticket_type__event__{name}" for name in large))
