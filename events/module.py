"""The events module: dates that repeat, calendars and their feeds, replies, and events that members send in."""

from cms_api.core.module import Job, Module, SettingKey

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
    roles=("manager", "editor"),
    demo="events.demo.load",
    setup="events.services.builtin.create",
)
