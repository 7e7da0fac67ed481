"""The emails of the support module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_NUMBER = Placeholder("The number of the ticket", "SUP-1402")
_SUBJECT = Placeholder("The subject of the ticket", "A mug arrived broken")

_TICKET = {
    "marker": Placeholder("The line above which people type their answer", "##- Please type your reply above this line -##"),
    "name": Placeholder("The requester's first name", "Dana"),
    "number": _NUMBER,
    "subject": _SUBJECT,
    "ticket_url": Placeholder(
        "The page on which the requester reads and answers the ticket", "https://example.org/support/tickets/402:6Jt0pWq3/"
    ),
}

_STAFF = {
    "agent": Placeholder("The name of the assignee", "Robin Vale"),
    "number": _NUMBER,
    "subject": _SUBJECT,
    "requester": Placeholder("The name of the requester, or else the address", "Dana Reyes"),
    "priority": Placeholder("The priority", "normal"),
    "message": Placeholder("The beginning of the latest message", "One of the two mugs arrived with a broken handle."),
    "admin_url": Placeholder("The address of the ticket in the admin", "https://example.org/admin/support/tickets/inspect/402/"),
}

_MAILS = (
    Mail(
        "support_received",
        "Tells a requester that a ticket was opened.",
        subject="{{ subject }} [{{ number }}]",
        placeholders=_TICKET,
        required=("marker",),
    ),
    Mail(
        "support_reply",
        "Sends an answer of the support team to a requester.",
        subject="Re: {{ subject }} [{{ number }}]",
        placeholders={
            **_TICKET,
            "message": Placeholder("The answer", "We're sorry!\nA replacement is on its way."),
            "agent": Placeholder("The name of the person who answers", "Robin Vale"),
            "history": Placeholder(
                "The messages before it; may be empty",
                Block(
                    "Dana Reyes, March 1, 2026, 1:30 PM:\n> One of the two mugs arrived with a broken handle.",
                    "<p>Dana Reyes, March 1, 2026, 1:30 PM:</p><blockquote>One of the two mugs arrived with a broken handle."
                    "</blockquote>",
                ),
            ),
        },
        required=("marker", "message"),
    ),
    Mail(
        "support_nudge",
        "Reminds a requester that an answer is awaited.",
        subject="Waiting for your reply: {{ subject }} [{{ number }}]",
        placeholders=_TICKET,
        required=("marker",),
    ),
    Mail(
        "support_csat",
        "Asks a requester to rate a resolved ticket.",
        subject="How did we do? {{ subject }} [{{ number }}]",
        placeholders={
            **_TICKET,
            "rating_url": Placeholder(
                "The page on which the requester rates the ticket", "https://example.org/support/rate/402:9Kx2mVb7/"
            ),
        },
        required=("marker", "rating_url"),
    ),
    Mail(
        "support_assigned",
        "Tells a member of staff that a ticket was assigned to them.",
        subject="Assigned to you: {{ subject }} [{{ number }}]",
        placeholders=_STAFF,
        to_staff=True,
    ),
    Mail(
        "support_message",
        "Tells the assignee of a ticket that the requester has written.",
        subject="New message: {{ subject }} [{{ number }}]",
        placeholders=_STAFF,
        to_staff=True,
    ),
)

MAILS = _MAILS
