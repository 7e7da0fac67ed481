"""The ticketing module: event tickets, their sale and check-in."""

from cms_api.core.module import (
    AccountPage,
    Addition,
    Admin,
    Always,
    Api,
    Event,
    Job,
    Module,
    Pages,
    Records,
    Restriction,
    Route,
    SettingKey,
    TokenPreset,
)

from .mails import MAILS

_API = "commerce.ticketing.api."
_ORDER = "commerce.ticketing.resources.orders."
_SIGNALS = "commerce.ticketing.services.changes."

MODULE = Module(
    name="ticketing",
    title="Event ticketing",
    description="Event ticket orders and attendee tickets.",
    feature="events",
    is_part=True,
    uses=("accounts", "payments"),
    api=Api(
        group="Commerce",
        abilities={"ticketing:read": "Read ticket orders and tickets", "ticketing:write": "Check tickets in"},
        token_presets=(
            TokenPreset(
                "Ticket scanner: may only check tickets in",
                ("ticketing:write",),
                Restriction(
                    "ticket_scanner",
                    "Ticket scanner",
                    "May look up tickets and check them in by their printed code, and is told the attendee's name, the ticket "
                    "type, the status and the event.",
                    views={
                        "ticketing/tickets/<ref:ticket>": f"{_API}ScannedTicket",
                        "ticketing/tickets/<ref:ticket>/check-in": f"{_API}ScannedCheckIn",
                    },
                    scope="event",
                    scope_choices="commerce.ticketing.selectors.events.events_to_scan",
                ),
            ),
        ),
        nouns={"ticketing/orders": "ticket_orders", "ticketing/tickets": "attendee_tickets"},
        routes=(
            Route("ticketing/orders", f"{_API}TicketOrders", {"GET": "ticketing:read"}),
            Route("ticketing/orders/<id:order>", f"{_API}OneTicketOrder", {"GET": "ticketing:read"}),
            Route("ticketing/tickets", f"{_API}Tickets", {"GET": "ticketing:read"}),
            Route("ticketing/tickets/<ref:ticket>", f"{_API}OneTicket", {"GET": "ticketing:read"}),
            Route("ticketing/tickets/<ref:ticket>/check-in", f"{_API}CheckIn", {"POST": "ticketing:write"}),
        ),
        events=(
            Event(
                "ticket_order.paid",
                "An event ticket order is paid.",
                document=f"{_ORDER}TicketOrderDetailResource",
                resource=f"{_ORDER}ticket_order_detail",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.ticketing.urls.urlpatterns",
        account_pages=(AccountPage("Tickets", "View your event tickets", "/accounts/tickets/"),),
        additions=(Addition("content.item", "commerce.ticketing.views.panel.present"),),
    ),
    admin=Admin(
        viewsets=("commerce.ticketing.admin.TICKETS",),
        menu_group="calendar",
        menu_order=20,
        cards={
            "commerce.ticketing.admin.cards.next_dates": "ticketing.view_attendeeticket",
            "commerce.ticketing.admin.cards.orders_today": "ticketing.view_ticketorder",
        },
        first_steps={"commerce.ticketing.admin.cards.sell_tickets": "ticketing.add_ticketsales"},
        roles=("manager",),
    ),
    records=Records(
        payables={"ticket_order": "commerce.ticketing.services.paying.ORDERS"},
        numbers={"TIX": 1001},
        demo="commerce.ticketing.demo.load",
    ),
    settings=(
        SettingKey(
            "ticketing.reservation_minutes",
            int,
            15,
            "How long tickets are reserved for a visitor before the order is placed.",
            title="Minutes of a reservation",
        ),
        SettingKey(
            "ticketing.offer_hours",
            int,
            24,
            "How long freed tickets are reserved for somebody on the waiting list.",
            title="Hours of an offer",
        ),
        SettingKey(
            "ticketing.fee_basis_points",
            int,
            0,
            "Added to what a buyer pays, in hundredths of a percent: 250 for 2.5%.",
            title="Booking fee in hundredths of a percent",
        ),
        SettingKey(
            "ticketing.fee_fixed_cents",
            int,
            0,
            "Added for each ticket that is not free, in minor units.",
            title="Booking fee for each ticket",
        ),
    ),
    mails=MAILS,
    listens={
        "events.dates_vanishing": Always(f"{_SIGNALS}keep_dates"),
        "events.starts_in_use": Always(f"{_SIGNALS}keep_starts"),
        "events.dates_moved": Always(f"{_SIGNALS}follow_dates"),
        "events.guests_of_dates": Always(f"{_SIGNALS}count_guests"),
        "events.dates_changed": f"{_SIGNALS}change_dates",
        "events.guest_leaving": Always(f"{_SIGNALS}has_other_tickets"),
        "events.replaces_rsvps": f"{_SIGNALS}replaces_rsvps",
        "content.item_deleting": Always(f"{_SIGNALS}check_deletable"),
        "content.item_saved": "commerce.ticketing.services.announcing.resume_announcements",
    },
    jobs=(
        Job("release_tickets", "commerce.ticketing.services.housekeeping.release_seats", every=60),
        Job(
            "send_ticket_announcements",
            "commerce.ticketing.services.announcing.send_announcements",
            every=300,
            reaches_people=True,
        ),
    ),
)
