"""The ticketing module: event tickets, their sale and check-in."""

from cms_api.core.module import (
    AccountPage,
    Addition,
    Always,
    Block,
    Event,
    Job,
    Mail,
    Module,
    Restriction,
    Route,
    SettingKey,
    TokenPreset,
)

_API = "commerce.ticketing.api."
_ORDER = "commerce.ticketing.resources.orders."
_SIGNALS = "commerce.ticketing.services.changes."

_ABOUT = {
    "name": "The first name of the recipient",
    "event": "The event's title",
    "when": "The date",
}
_SAMPLE = {"name": "Dana", "event": "Midsummer quartet", "when": "Saturday, June 13, 2026, 7:30 p.m."}
_WHERE = {"where": "The venue; may be empty"}
_HALL = {"where": "The great hall"}
_WAITING = {**_ABOUT, "tickets": "How many tickets of which type", "leave_url": "The page to leave the waiting list"}
_WAITING_SAMPLE = {
    **_SAMPLE,
    "tickets": "2 \N{MULTIPLICATION SIGN} Adult",
    "leave_url": "https://example.org/events/tickets/waiting/12:6Jt0pWq3/leave",
}
_OFFER = {**_WAITING, "until": "The end of the offer", "offer_url": "The page to buy the tickets"}
_OFFER_SAMPLE = {
    **_WAITING_SAMPLE,
    "until": "June 2, 2026, 6 p.m. (UTC)",
    "offer_url": "https://example.org/events/tickets/offers/12:6Jt0pWq3/",
}
_CHANGE = {**_ABOUT, "tickets": "How many tickets the recipient has"}
_CHANGE_SAMPLE = {**_SAMPLE, "tickets": "2 tickets"}
_UNPAID = {
    **_ABOUT,
    "number": "The number of the order",
    "tickets": "How many tickets were ordered",
    "order_url": "The page of the order",
}
_UNPAID_SAMPLE = {
    **_CHANGE_SAMPLE,
    "number": "TIX-1088",
    "order_url": "https://example.org/events/tickets/orders/88:6Jt0pWq3/",
}
_SUMMARY = Block(
    "2 x Adult: $64.00\n\nSubtotal: $64.00\nDiscount (SPRING10): -$6.40\nBooking fee: $3.00\nTotal: $60.60",
    "<table><tr><td>2 x Adult</td><td>$64.00</td></tr><tr><th>Subtotal</th><td>$64.00</td></tr>"
    "<tr><th>Discount (SPRING10)</th><td>-$6.40</td></tr><tr><th>Booking fee</th><td>$3.00</td></tr>"
    "<tr><th>Total</th><td>$60.60</td></tr></table>",
)

MODULE = Module(
    name="ticketing",
    title="Event ticketing",
    description="Event ticket orders and attendee tickets.",
    feature="events",
    is_part=True,
    uses=("accounts", "payments"),
    group="Commerce",
    abilities={"ticketing:read": "Read ticket orders and tickets", "ticketing:write": "Check tickets in"},
    token_presets=(
        TokenPreset(
            "Ticket scanner: may only check tickets in",
            ("ticketing:write",),
            Restriction(
                "ticket_scanner",
                "Ticket scanner",
                "May look up tickets and check them in by their printed code, and is told the attendee's name, the ticket type, "
                "the status and the event.",
                views={
                    "ticketing/tickets/<ref:ticket>": f"{_API}ScannedTicket",
                    "ticketing/tickets/<ref:ticket>/check-in": f"{_API}ScannedCheckIn",
                },
                scope="event",
                scope_choices="commerce.ticketing.selectors.events.events_to_scan",
            ),
        ),
    ),
    routes=(
        Route("ticketing/orders", f"{_API}TicketOrders", {"GET": "ticketing:read"}),
        Route("ticketing/orders/<id:order>", f"{_API}OneTicketOrder", {"GET": "ticketing:read"}),
        Route("ticketing/tickets", f"{_API}Tickets", {"GET": "ticketing:read"}),
        Route("ticketing/tickets/<ref:ticket>", f"{_API}OneTicket", {"GET": "ticketing:read"}),
        Route("ticketing/tickets/<ref:ticket>/check-in", f"{_API}CheckIn", {"POST": "ticketing:write"}),
    ),
    pages="commerce.ticketing.urls.urlpatterns",
    account_pages=(AccountPage("Tickets", "View your event tickets", "/accounts/tickets/"),),
    additions=(Addition("content.item", "commerce.ticketing.views.panel.present"),),
    payables={"ticket_order": "commerce.ticketing.services.paying.ORDERS"},
    events=(
        Event(
            "ticket_order.paid",
            "An event ticket order is paid.",
            document=f"{_ORDER}TicketOrderDetailResource",
            resource=f"{_ORDER}ticket_order_detail",
        ),
    ),
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
    mails=(
        Mail(
            "tickets_bought",
            "Sends a buyer the tickets of a paid order as PDF, with a calendar file.",
            subject="Your tickets for {{ event }}",
            placeholders={
                **_ABOUT,
                **_WHERE,
                "number": "The number of the order",
                "summary": "The tickets and the amounts",
                "order_url": "The page of the order",
            },
            sample={
                **_SAMPLE,
                **_HALL,
                "number": "TIX-1088",
                "summary": _SUMMARY,
                "order_url": "https://example.org/events/tickets/orders/88:6Jt0pWq3/",
            },
        ),
        Mail(
            "ticket_transferred",
            "Sends a ticket to the person to whom it was transferred.",
            subject="Your ticket for {{ event }}",
            placeholders={**_ABOUT, **_WHERE, "from": "The name of the buyer", "ticket_url": "The page of the ticket"},
            sample={
                **_SAMPLE,
                **_HALL,
                "from": "Noor de Vries",
                "ticket_url": "https://example.org/events/tickets/t/K7PWM4XR:6Jt0pWq3/",
            },
        ),
        Mail(
            "ticket_given_away",
            "Tells the former holder of a ticket that it was transferred.",
            subject="Your ticket for {{ event }} was transferred",
            placeholders={**_ABOUT, "ticket": "The ticket type", "new_holder": "The name of the new holder"},
            sample={**_SAMPLE, "ticket": "Adult", "new_holder": "Sam Okafor"},
        ),
        Mail(
            "ticket_void",
            "Tells somebody that tickets are no longer valid, and removes the date from their calendar.",
            subject="Your tickets for {{ event }} are no longer valid",
            placeholders={**_ABOUT, "tickets": "How many tickets"},
            sample={**_SAMPLE, "tickets": "2 tickets"},
        ),
        Mail(
            "ticket_order_cancelled",
            "Tells a buyer that a ticket order is cancelled.",
            subject="Ticket order {{ number }} is cancelled",
            placeholders={**_ABOUT, "number": "The number of the order"},
            sample={**_SAMPLE, "number": "TIX-1088"},
        ),
        Mail(
            "tickets_refunded",
            "Tells a buyer about a refund.",
            subject="Refund of ticket order {{ number }}",
            placeholders={**_ABOUT, "number": "The number of the order", "amount": "The amount that goes back"},
            sample={**_SAMPLE, "number": "TIX-1088", "amount": "$32.00"},
        ),
        Mail(
            "ticket_waiting",
            "Confirms a place on the waiting list.",
            subject="You're on the waiting list for {{ event }}",
            placeholders=_WAITING,
            sample=_WAITING_SAMPLE,
        ),
        Mail(
            "ticket_offer",
            "Offers tickets to somebody on the waiting list.",
            subject="Tickets for {{ event }} are available",
            placeholders=_OFFER,
            sample=_OFFER_SAMPLE,
        ),
        Mail(
            "ticket_date_moved",
            "Tells people with tickets that the date of an event has changed.",
            subject="The date of {{ event }} has changed",
            placeholders=_CHANGE,
            sample=_CHANGE_SAMPLE,
        ),
        Mail(
            "ticket_date_cancelled",
            "Tells people with tickets that their date is cancelled.",
            subject="{{ event }} is cancelled",
            placeholders=_CHANGE,
            sample=_CHANGE_SAMPLE,
        ),
        Mail(
            "ticket_date_restored",
            "Tells people with tickets that a cancelled date takes place after all.",
            subject="{{ event }} takes place after all",
            placeholders=_CHANGE,
            sample=_CHANGE_SAMPLE,
        ),
        Mail(
            "ticket_unpaid_moved",
            "Notifies buyers who have not paid yet that the date of an event has changed.",
            subject="The date of {{ event }} has changed",
            placeholders=_UNPAID,
            sample=_UNPAID_SAMPLE,
        ),
        Mail(
            "ticket_unpaid_cancelled",
            "Notifies buyers who have not paid yet that their date is cancelled.",
            subject="{{ event }} is cancelled",
            placeholders=_UNPAID,
            sample=_UNPAID_SAMPLE,
        ),
        Mail(
            "ticket_unpaid_restored",
            "Notifies buyers who have not paid yet that a cancelled date takes place after all.",
            subject="{{ event }} takes place after all",
            placeholders=_UNPAID,
            sample=_UNPAID_SAMPLE,
        ),
        Mail(
            "ticket_waiting_moved",
            "Notifies people on the waiting list that the date of an event has changed.",
            subject="The date of {{ event }} has changed",
            placeholders=_WAITING,
            sample=_WAITING_SAMPLE,
        ),
        Mail(
            "ticket_offer_moved",
            "Notifies people to whom tickets are offered that the date of an event has changed.",
            subject="The date of {{ event }} has changed",
            placeholders=_OFFER,
            sample=_OFFER_SAMPLE,
        ),
        Mail(
            "ticket_waiting_cancelled",
            "Notifies people on the waiting list, and those with offers, that their date is cancelled.",
            subject="{{ event }} is cancelled",
            placeholders={**_ABOUT, "tickets": _WAITING["tickets"]},
            sample={**_SAMPLE, "tickets": _WAITING_SAMPLE["tickets"]},
        ),
        Mail(
            "ticket_waiting_restored",
            "Notifies people on the waiting list that a cancelled date takes place after all.",
            subject="{{ event }} takes place after all",
            placeholders=_WAITING,
            sample=_WAITING_SAMPLE,
        ),
        Mail(
            "ticket_message",
            "A message that staff write to everybody with tickets for a date.",
            subject="{{ subject }}",
            placeholders={**_ABOUT, "subject": "The subject that was entered", "message": "The message that was entered"},
            sample={
                **_SAMPLE,
                "subject": "Doors open at 7 p.m.",
                "message": "Please come early.",
            },
        ),
        Mail(
            "ticket_order_notice",
            "Tells the business of a paid ticket order.",
            subject="New ticket order {{ number }}: {{ event }}",
            placeholders={
                "number": "The number of the order",
                "buyer": "The buyer's name",
                "event": "The event's title",
                "when": "The date",
                "summary": "The tickets and the amounts",
                "admin_url": "The address of the order in the admin",
            },
            sample={
                "number": "TIX-1088",
                "buyer": "Dana Reyes",
                "event": "Midsummer quartet",
                "when": "Saturday, June 13, 2026, 7:30 p.m.",
                "summary": _SUMMARY,
                "admin_url": "https://example.org/admin/tickets/orders/inspect/88/",
            },
            to_staff=True,
        ),
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
    viewsets=("commerce.ticketing.admin.TICKETS",),
    cards=("commerce.ticketing.admin.cards.next_dates", "commerce.ticketing.admin.cards.orders_today"),
    first_steps=("commerce.ticketing.admin.cards.sell_tickets",),
    menu_group="calendar",
    menu_order=20,
    demo="commerce.ticketing.demo.load",
    roles=("manager",),
    numbers={"TIX": 1001},
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
