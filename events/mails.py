"""The emails of the events module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_REPLY = {
    "name": "The name of the account with this address; empty if there is none",
    "event": "The event's title",
    "details": "Date, venue and number of people, as a table",
    "event_url": "The address of the event's page",
}

_REPLIED = {
    "name": "Dana Reyes",
    "event": "Open rehearsal",
    "details": Block(
        "When: Sunday, March 22, 2026, 6:30 p.m.\nParty size: 2 people",
        '<table><tr><th scope="row">When</th><td>Sunday, March 22, 2026, 6:30 p.m.</td></tr>'
        '<tr><th scope="row">Party size</th><td>2 people</td></tr></table>',
    ),
    "event_url": "https://example.org/events/open-rehearsal",
}

MAILS = (
    Mail(
        "event_rsvp",
        "Confirms an RSVP, with a calendar invitation.",
        subject="You're signed up for {{ event }}",
        placeholders={**_REPLY, "cancel_url": "The address of the page to cancel the RSVP"},
        sample={**_REPLIED, "cancel_url": "https://example.org/events/rsvp/318:sample/cancel"},
    ),
    Mail(
        "event_rsvp_waiting",
        "Confirms a place on the waiting list of a date that is full.",
        subject="You're on the waiting list for {{ event }}",
        placeholders={**_REPLY, "cancel_url": "The address of the page to leave the waiting list"},
        sample={**_REPLIED, "cancel_url": "https://example.org/events/rsvp/318:sample/cancel"},
    ),
    Mail(
        "event_moved",
        "Notifies people who have RSVPed that the date of the event has changed.",
        subject="The date of {{ event }} has changed",
        placeholders={**_REPLY, "cancel_url": "The address of the page to cancel the RSVP"},
        sample={**_REPLIED, "cancel_url": "https://example.org/events/rsvp/318:sample/cancel"},
    ),
    Mail(
        "event_cancelled",
        "Notifies people who have RSVPed that their date is cancelled.",
        subject="{{ event }} is cancelled",
        placeholders=_REPLY,
        sample=_REPLIED,
    ),
    Mail(
        "event_rsvp_cancelled",
        "Confirms that an RSVP was cancelled, and removes the event from the recipient's calendar.",
        subject="Your RSVP for {{ event }} is cancelled",
        placeholders=_REPLY,
        sample=_REPLIED,
    ),
    Mail(
        "event_submitted",
        "Notifies the business of an event that a member submitted for review.",
        subject="New event submission: {{ title }}",
        placeholders={
            "title": "The event's title",
            "member": "The member's name",
            "email": "The member's email address",
            "review": "A link to the draft in the admin",
        },
        sample={
            "title": "Open studio",
            "member": "Dana Reyes",
            "email": "dana@example.org",
            "review": Block(
                "Review the event: https://example.org/admin/content/items/edit/214/",
                '<a href="https://example.org/admin/content/items/edit/214/">Review the event</a>',
            ),
        },
        to_staff=True,
    ),
)
