"""The emails of the events module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail, Placeholder

_CANCEL_URL = Placeholder("The address of the page to cancel the RSVP", "https://example.org/events/rsvp/318:sample/cancel")

_REPLY = {
    "name": Placeholder("The name of the account with this address; empty if there is none", "Dana Reyes"),
    "event": Placeholder("The event's title", "Open rehearsal"),
    "details": Placeholder(
        "Date, venue and number of people, as a table",
        Block(
            "When: Sunday, March 22, 2026, 6:30 p.m.\nParty size: 2 people",
            '<table><tr><th scope="row">When</th><td>Sunday, March 22, 2026, 6:30 p.m.</td></tr>'
            '<tr><th scope="row">Party size</th><td>2 people</td></tr></table>',
        ),
    ),
    "event_url": Placeholder("The address of the event's page", "https://example.org/events/open-rehearsal"),
}

MAILS = (
    Mail(
        "event_rsvp",
        "Confirms an RSVP, with a calendar invitation.",
        subject="You're signed up for {{ event }}",
        placeholders={**_REPLY, "cancel_url": _CANCEL_URL},
    ),
    Mail(
        "event_rsvp_waiting",
        "Confirms a place on the waiting list of a date that is full.",
        subject="You're on the waiting list for {{ event }}",
        placeholders={
            **_REPLY,
            "cancel_url": Placeholder(
                "The address of the page to leave the waiting list", "https://example.org/events/rsvp/318:sample/cancel"
            ),
        },
    ),
    Mail(
        "event_moved",
        "Notifies people who have RSVPed that the date of the event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders={**_REPLY, "cancel_url": _CANCEL_URL},
    ),
    Mail(
        "event_cancelled",
        "Notifies people who have RSVPed that their date is cancelled.",
        subject="{{ event }} is cancelled",
        placeholders=_REPLY,
    ),
    Mail(
        "event_rsvp_cancelled",
        "Confirms that an RSVP was cancelled, and removes the event from the recipient's calendar.",
        subject="Your RSVP for {{ event }} is cancelled",
        placeholders=_REPLY,
    ),
    Mail(
        "event_submitted",
        "Notifies the business of an event that a member submitted for review.",
        subject="New event submission: {{ title }}",
        placeholders={
            "title": Placeholder("The event's title", "Open studio"),
            "member": Placeholder("The member's name", "Dana Reyes"),
            "email": Placeholder("The member's email address", "dana@example.org"),
            "review": Placeholder(
                "A link to the draft in the admin",
                Block(
                    "Review the event: https://example.org/admin/content/items/edit/214/",
                    '<a href="https://example.org/admin/content/items/edit/214/">Review the event</a>',
                ),
            ),
        },
        to_staff=True,
    ),
)
