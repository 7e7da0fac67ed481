"""The emails of the support module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_TICKET = {
    "marker": "The line above which people type their answer",
    "name": "The requester's first name",
    "number": "The number of the ticket",
    "subject": "The subject of the ticket",
    "ticket_url": "The page on which the requester reads and answers the ticket",
}

_SAMPLE = {
    "marker": "##- Please type your reply above this line -##",
    "name": "Dana",
    "number": "SUP-1402",
    "subject": "A mug arrived broken",
    "ticket_url": "https://example.org/support/tickets/402:6Jt0pWq3/",
}

_STAFF = {
    "agent": "The name of the assignee",
    "number": "The number of the ticket",
    "subject": "The subject of the ticket",
    "requester": "The name of the requester, or else the address",
    "priority": "The priority",
    "message": "The beginning of the latest message",
    "admin_url": "The address of the ticket in the admin",
}

_STAFF_SAMPLE = {
    "agent": "Robin Vale",
    "number": "SUP-1402",
    "subject": "A mug arrived broken",
    "requester": "Dana Reyes",
    "priority": "normal",
    "message": "One of the two mugs arrived with a broken handle.",
    "admin_url": "https://example.org/admin/support/tickets/inspect/402/",
}

_MAILS = (
    Mail(
        "support_received",
        "Tells a requester that a ticket was opened.",
        subject="{{ subject }} [{{ number }}]",
        placeholders=_TICKET,
        sample=_SAMPLE,
        required=("marker",),
    ),
    Mail(
        "support_reply",
        "Sends an answer of the support team to a requester.",
        subject="Re: {{ subject }} [{{ number }}]",
        placeholders={
            **_TICKET,
            "message": "The answer",
            "agent": "The name of the person who answers",
            "history": "The messages before it; may be empty",
        },
        sample={
            **_SAMPLE,
            "message": "We're sorry!\nA replacement is on its way.",
            "agent": "Robin Vale",
            "history": Block(
                "Dana Reyes, March 1, 2026, 1:30 PM:\n> One of the two mugs arrived with a broken handle.",
                "<p>Dana Reyes, March 1, 2026, 1:30 PM:</p><blockquote>One of the two mugs arrived with a broken handle."
                "</blockquote>",
            ),
        },
        required=("marker", "message"),
    ),
    Mail(
        "support_nudge",
        "Reminds a requester that an answer is awaited.",
        subject="Waiting for your reply: {{ subject }} [{{ number }}]",
        placeholders=_TICKET,
        sample=_SAMPLE,
        required=("marker",),
    ),
    Mail(
        "support_csat",
        "Asks a requester to rate a resolved ticket.",
        subject="How did we do? {{ subject }} [{{ number }}]",
        placeholders={**_TICKET, "rating_url": "The page on which the requester rates the ticket"},
        sample={**_SAMPLE, "rating_url": "https://example.org/support/rate/402:9Kx2mVb7/"},
        required=("marker", "rating_url"),
    ),
    Mail(
        "support_assigned",
        "Tells a member of staff that a ticket was assigned to them.",
        subject="Assigned to you: {{ subject }} [{{ number }}]",
        placeholders=_STAFF,
        sample=_STAFF_SAMPLE,
        to_staff=True,
    ),
    Mail(
        "support_message",
        "Tells the assignee of a ticket that the requester has written.",
        subject="New message: {{ subject }} [{{ number }}]",
        placeholders=_STAFF,
        sample=_STAFF_SAMPLE,
        to_staff=True,
    ),
)

MAILS = _MAILS
