"""The emails of the ticketing module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_EVENT = Placeholder("The event's title", "Midsummer quartet")
_WHEN = Placeholder("The date", "Saturday, June 13, 2026, 7:30 p.m.")
_NUMBER = Placeholder("The number of the order", "TIX-1088")
_ORDER_URL = Placeholder("The page of the order", "https://example.org/events/tickets/orders/88:6Jt0pWq3/")
_SUMMARY = Placeholder(
    "The tickets and the amounts",
    Block(
        "2 x Adult: $64.00\n\nSubtotal: $64.00\nDiscount (SPRING10): -$6.40\nBooking fee: $3.00\nTotal: $60.60",
        "<table><tr><td>2 x Adult</td><td>$64.00</td></tr><tr><th>Subtotal</th><td>$64.00</td></tr>"
        "<tr><th>Discount (SPRING10)</th><td>-$6.40</td></tr><tr><th>Booking fee</th><td>$3.00</td></tr>"
        "<tr><th>Total</th><td>$60.60</td></tr></table>",
    ),
)

_ABOUT = {"name": Placeholder("The first name of the recipient", "Dana"), "event": _EVENT, "when": _WHEN}

_WHERE = {"where": Placeholder("The venue; may be empty", "The great hall")}

_WAITING = {
    **_ABOUT,
    "tickets": Placeholder("How many tickets of which type", "2 \N{MULTIPLICATION SIGN} Adult"),
    "leave_url": Placeholder(
        "The page to leave the waiting list", "https://example.org/events/tickets/waiting/12:6Jt0pWq3/leave"
    ),
}

_OFFER = {
    **_WAITING,
    "until": Placeholder("The end of the offer", "June 2, 2026, 6 p.m. (UTC)"),
    "offer_url": Placeholder("The page to buy the tickets", "https://example.org/events/tickets/offers/12:6Jt0pWq3/"),
}

_CHANGE = {**_ABOUT, "tickets": Placeholder("How many tickets the recipient has", "2 tickets")}

_UNPAID = {
    **_ABOUT,
    "number": _NUMBER,
    "tickets": Placeholder("How many tickets were ordered", "2 tickets"),
    "order_url": _ORDER_URL,
}

MAILS = (
    Mail(
        "tickets_bought",
        "Sends a buyer the tickets of a paid order as PDF, with a calendar file.",
        subject="Your tickets for {{ event }}",
        placeholders={**_ABOUT, **_WHERE, "number": _NUMBER, "summary": _SUMMARY, "order_url": _ORDER_URL},
    ),
    Mail(
        "ticket_transferred",
        "Sends a ticket to the person to whom it was transferred.",
        subject="Your ticket for {{ event }}",
        placeholders={
            **_ABOUT,
            **_WHERE,
            "from": Placeholder("The name of the buyer", "Noor de Vries"),
            "ticket_url": Placeholder("The page of the ticket", "https://example.org/events/tickets/t/K7PWM4XR:6Jt0pWq3/"),
        },
    ),
    Mail(
        "ticket_given_away",
        "Tells the former holder of a ticket that it was transferred.",
        subject="Your ticket for {{ event }} was transferred",
        placeholders={
            **_ABOUT,
            "ticket": Placeholder("The ticket type", "Adult"),
            "new_holder": Placeholder("The name of the new holder", "Sam Okafor"),
        },
    ),
    Mail(
        "ticket_void",
        "Tells somebody that tickets are no longer valid, and removes the date from their calendar.",
        subject="Your tickets for {{ event }} are no longer valid",
        placeholders={**_ABOUT, "tickets": Placeholder("How many tickets", "2 tickets")},
    ),
    Mail(
        "ticket_order_cancelled",
        "Tells a buyer that a ticket order is cancelled.",
        subject="Ticket order {{ number }} is cancelled",
        placeholders={**_ABOUT, "number": _NUMBER},
    ),
    Mail(
        "tickets_refunded",
        "Tells a buyer about a refund.",
        subject="Refund of ticket order {{ number }}",
        placeholders={**_ABOUT, "number": _NUMBER, "amount": Placeholder("The amount that goes back", "$32.00")},
    ),
    Mail(
        "ticket_waiting",
        "Confirms a place on the waiting list.",
        subject="You're on the waiting list for {{ event }}",
        placeholders=_WAITING,
    ),
    Mail(
        "ticket_offer",
        "Offers tickets to somebody on the waiting list.",
        subject="Tickets for {{ event }} are available",
        placeholders=_OFFER,
    ),
    Mail(
        "ticket_date_moved",
        "Tells people with tickets that the date of an event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders=_CHANGE,
    ),
    Mail(
        "ticket_date_cancelled",
        "Tells people with tickets that their date is cancelled.",
        subject="{{ event }} is cancelled",
        placeholders=_CHANGE,
    ),
    Mail(
        "ticket_date_restored",
        "Tells people with tickets that a cancelled date takes place after all.",
        subject="{{ event }} takes place after all",
        placeholders=_CHANGE,
    ),
    Mail(
        "ticket_unpaid_moved",
        "Notifies buyers who have not paid yet that the date of an event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders=_UNPAID,
    ),
    Mail(
        "ticket_unpaid_cancelled",
        "Notifies buyers who have not paid yet that their date is cancelled.",
        subject="{{ event }} is cancelled",
        placeholders=_UNPAID,
    ),
    Mail(
        "ticket_unpaid_restored",
        "Notifies buyers who have not paid yet that a cancelled date takes place after all.",
        subject="{{ event }} takes place after all",
        placeholders=_UNPAID,
    ),
    Mail(
        "ticket_waiting_moved",
        "Notifies people on the waiting list that the date of an event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders=_WAITING,
    ),
    Mail(
        "ticket_offer_moved",
        "Notifies people to whom tickets are offered that the date of an event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders=_OFFER,
    ),
    Mail(
        "ticket_waiting_cancelled",
        "Notifies people on the waiting list, and those with offers, that their date is cancelled.",
        subject="{{ event }} is cancelled",
        placeholders={**_ABOUT, "tickets": _WAITING["tickets"]},
    ),
    Mail(
        "ticket_waiting_restored",
        "Notifies people on the waiting list that a cancelled date takes place after all.",
        subject="{{ event }} takes place after all",
        placeholders=_WAITING,
    ),
    Mail(
        "ticket_message",
        "A message that staff write to everybody with tickets for a date.",
        subject="{{ subject }}",
        placeholders={
            **_ABOUT,
            "subject": Placeholder("The subject that was entered", "Doors open at 7 p.m."),
            "message": Placeholder("The message that was entered", "Please come early."),
        },
    ),
    Mail(
        "ticket_order_notice",
        "Tells the business of a paid ticket order.",
        subject="New ticket order {{ number }}: {{ event }}",
        placeholders={
            "number": _NUMBER,
            "buyer": Placeholder("The buyer's name", "Dana Reyes"),
            "event": _EVENT,
            "when": _WHEN,
            "summary": _SUMMARY,
            "admin_url": Placeholder(
                "The address of the order in the admin", "https://example.org/admin/tickets/orders/inspect/88/"
            ),
        },
        to_staff=True,
    ),
)
