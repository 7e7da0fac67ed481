"""The events module: dates that repeat, calendars and their feeds, replies, and events that members send in."""

from cms_api.core.module import Block, Job, Mail, Module, SettingKey

MODULE = Module(
    name="events",
    title="Events",
    description="Calendars, feeds, replies to invitations, and events that members send in.",
    feature="events",
    group="Content",
    pages="events.urls.urlpatterns",
    follows_items="events.services.occurrences.expand",
    jobs=(Job("top_up_occurrences", "events.services.occurrences.top_up", every=24 * 3600),),
    settings=(
        SettingKey("events.submissions_per_day", int, 5, "How many events a member may send in within a day."),
        SettingKey("events.rsvp", bool, True, "Whether visitors may say that they come to an event."),
        SettingKey("recurrence.horizon_days", int, 730, "How many days ahead the dates of a rule without end are laid out."),
    ),
    mails=(
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
    roles=("manager", "editor"),
    setup="events.services.builtin.create",
)
