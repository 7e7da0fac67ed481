"""The ticketing module: event tickets, their sale and check-in."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="ticketing",
    title="Event ticketing",
    description="Event ticket orders and attendee tickets.",
    group="Commerce",
    events=(
        Event(
            "ticket_order.paid",
            "An event ticket order is paid.",
            document="commerce.ticketing.resources.TicketOrderDetailResource",
            feature="events",
        ),
    ),
)
