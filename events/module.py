"""The events module: dates that repeat, calendars and their feeds, replies, and events that members send in."""

from cms_api.core.module import Always, Block, Job, Mail, Module, SettingKey

_REPLY = {
    "name": "The name of whoever replied",
    "event": "The event's title",
    "details": "When and where it takes place, and for how many, as a table",
    "event_url": "The address of the event's page",
}
_REPLIED = {
    "name": "Dana Reyes",
    "event": "Open rehearsal",
    "details": Block(
        "When: Sunday, March 22, 2026, 6:30 p.m.\nFor: 2 people",
        '<table><tr><th scope="row">When</th><td>Sunday, March 22, 2026, 6:30 p.m.</td></tr>'
        '<tr><th scope="row">For</th><td>2 people</td></tr></table>',
    ),
    "event_url": "https://example.org/events/open-rehearsal",
}

MODULE = Module(
    name="events",
    title="Events",
    description="Calendars, feeds, replies to invitations, and events that members send in.",
    feature="events",
    group="Content",
    pages="events.urls.urlpatterns",
    # Any content type may have dates, also while the calendar of events is off.
    ungated_pages="events.urls.calendar_patterns",
    mails=(
        Mail(
            "event_rsvp",
            "Tells whoever replied to an event how the reply stands, with an entry for their calendar.",
            subject="You are coming: {{ event }}",
            placeholders={**_REPLY, "cancel_url": "The address at which the reply can be called off"},
            sample={**_REPLIED, "cancel_url": "https://example.org/events/rsvp/318:sample/cancel"},
        ),
        Mail(
            "event_rsvp_cancelled",
            "Tells whoever replied to an event that the reply is called off, and takes the entry from their calendar.",
            subject="Called off: {{ event }}",
            placeholders=_REPLY,
            sample=_REPLIED,
        ),
        Mail(
            "event_submitted",
            "Tells the organisation that a member has sent an event in, which waits as a draft.",
            subject="An event was sent in: {{ title }}",
            placeholders={
                "title": "The event's title",
                "member": "Who sent it in",
                "email": "Their address",
                "review": "Where it is read and published in the admin, as a link",
            },
            sample={
                "title": "Open studio",
                "member": "Dana Reyes",
                "email": "dana@example.org",
                "review": Block(
                    "Read and publish it: https://example.org/admin/content/items/edit/214/",
                    '<a href="https://example.org/admin/content/items/edit/214/">Read and publish it</a>',
                ),
            },
        ),
    ),
    viewsets=("events.admin.EVENTS", "events.admin.preview.DATES"),
    jobs=(Job("top_up_occurrences", "events.services.occurrences.top_up", every=24 * 3600),),
    listens={
        "content.item_saved": Always("events.services.occurrences.expand"),
        "setting:recurrence.horizon_days": Always("events.tasks.begin_laying_out"),
    },
    settings=(
        SettingKey("events.submissions_per_day", int, 5, "How many events a member may send in within a day."),
        SettingKey("events.rsvp", bool, True, "Whether visitors may say that they come to an event."),
        SettingKey("recurrence.horizon_days", int, 730, "How many days ahead the dates of a rule without end are laid out."),
    ),
    roles=("manager", "editor"),
    needs_accounts=True,
    demo="events.demo.load",
    setup="events.services.builtin.create",
)
