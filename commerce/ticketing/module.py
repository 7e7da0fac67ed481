"""The ticketing module: tickets of events, their sale and the door."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="ticketing",
    title="Event ticketing",
    description="Ticket orders of events, and the tickets that are shown at the door.",
    group="Commerce",
    events=(
        Event(
            "ticket_order.paid",
            "An order of event tickets is paid.",
            document="commerce.ticketing.resources.TicketOrderDetailResource",
            feature="events",
        ),
    ),
)
