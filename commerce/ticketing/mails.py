"""The emails of the ticketing module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

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

MAILS = (
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
)
