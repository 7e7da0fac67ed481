"""The events module: repeating dates, calendars and feeds, RSVPs, and events submitted by members."""

from cms_api.core.module import Always, Block, Job, Mail, Module, Row, SettingKey, Signal

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

MODULE = Module(
    name="events",
    title="Events",
    description="Calendars, feeds, RSVPs and member-submitted events.",
    feature="events",
    group="Content",
    pages="events.urls.urlpatterns",
    # Any content type may have dates, even while the events feature is off.
    ungated_pages="events.urls.calendar_patterns",
    footer_links="events.feeds.footer_links",
    rows=(Row("coming_up", "events.rows.ComingUpBlock"),),
    mails=(
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
    ),
    viewsets=("events.admin.RSVPS",),
    # Any content type may have dates, which are previewed while editing.
    ungated_viewsets=("events.admin.preview.DATES",),
    menu=("events.admin.EVENTS_ITEM",),
    menu_group="calendar",
    menu_order=10,
    cards=(
        "events.admin.cards.count_submitted",
        "events.admin.cards.new_rsvps",
        "events.admin.cards.next_dates",
        "events.admin.cards.create",
    ),
    # Any content type may have dates that repeat.
    jobs=(
        Job("top_up_occurrences", "events.services.occurrences.top_up", every=24 * 3600, always=True),
        Job("send_postponed_rsvp_mails", "events.services.mails.send_postponed_mails", every=300, reaches_people=True),
        Job("refresh_calendars", "events.services.calendars.refresh", every=600),
    ),
    signals=(
        Signal(
            "events.dates_vanishing",
            "Dates of an event are about to be removed. Those whose ids a listener returns stay, cancelled.",
            "event: ContentItem, rows: Collection[ContentItem]",
        ),
        Signal(
            "events.starts_in_use",
            "An event with several dates is saved. The dates whose local starts a listener returns stay, cancelled if the rule "
            "lacks them.",
            "event: ContentItem",
        ),
        Signal(
            "events.dates_moved",
            "Dates of an event have moved. `starts` has the new local starts by the former ones. The guests of the new starts in "
            "`notified` get an email; a date may be among these whose end or time zone alone has changed.",
            "event: ContentItem, starts: Mapping, notified: Collection[str]",
        ),
        Signal(
            "events.guests_of_dates",
            "The effect of a change is previewed. A listener returns how many people have records of each date, by local start.",
            "event: ContentItem",
        ),
        Signal(
            "events.dates_changed",
            "Dates of an event, named by their local starts, are cancelled or are back.",
            "event: ContentItem, starts: Collection[str], is_cancelled: bool",
        ),
        Signal(
            "events.guest_leaving",
            "Somebody has given up a date, which is about to leave their calendar. It does not if a listener returns true.",
            "event: ContentItem, start: str, email: str",
        ),
        Signal(
            "events.replaces_rsvps",
            "RSVPs of an event are about to be offered or saved. They are not if a listener returns true.",
            "event: ContentItem",
        ),
    ),
    listens={
        "content.item_saved": Always("events.services.occurrences.expand"),
        "content.series_editing": Always("events.services.attendance.mark_first_date"),
        "content.item_deleting": "events.services.attendance.end_event",
        "content.item_deletion_asked": "events.selectors.preview.guests_of_deletion",
        "setting:recurrence.horizon_days": Always("events.tasks.start_materializing"),
    },
    settings=(
        SettingKey("events.submissions_per_day", int, 5, "Events that a member may submit per day.", title="Submissions per day"),
        SettingKey("events.rsvp", bool, True, "Lets visitors RSVP to events.", title="RSVPs"),
        SettingKey(
            "events.rsvp_network_percent",
            int,
            50,
            "The share of a date's places that visitors of one network may have without signing in; at least 20 places. "
            "100 for no limit.",
            title="Places of one network, in percent",
        ),
        SettingKey("recurrence.horizon_days", int, 730, "How far repeating events are scheduled.", title="Days ahead"),
    ),
    # Editors work with events, which are content items, but RSVPs are data about people.
    roles=("manager",),
    uses=("accounts",),
    demo="events.demo.load",
    setup="events.services.builtin.create",
)
