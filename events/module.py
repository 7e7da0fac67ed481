"""The events module: repeating dates, calendars and feeds, RSVPs, and events submitted by members."""

from cms_api.core.module import Admin, Always, Api, Job, Module, Pages, Records, Row, SettingKey, Signal

from .mails import MAILS

MODULE = Module(
    name="events",
    title="Events",
    description="Calendars, feeds, RSVPs and member-submitted events.",
    feature="events",
    uses=("accounts",),
    api=Api(group="Content"),
    pages=Pages(
        urls="events.urls.urlpatterns",
        # Any content type may have dates, even while the events feature is off.
        ungated_urls="events.urls.calendar_patterns",
        footer_links="events.feeds.footer_links",
        rows=(Row("coming_up", "events.rows.ComingUpBlock"),),
    ),
    admin=Admin(
        viewsets=("events.admin.RSVPS",),
        # Any content type may have dates, which are previewed while editing.
        ungated_viewsets=("events.admin.preview.DATES",),
        menu=("events.admin.EVENTS_ITEM",),
        menu_group="calendar",
        menu_order=10,
        cards={
            "events.admin.cards.count_submitted": "content.change_contentitem",
            "events.admin.cards.new_rsvps": "events.change_rsvp",
            "events.admin.cards.next_dates": "content.change_contentitem",
            "events.admin.cards.create": "content.add_contentitem",
        },
        # Editors work with events, which are content items, but RSVPs are data about people.
        roles=("manager",),
    ),
    records=Records(setup="events.services.builtin.create", demo="events.demo.load"),
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
    mails=MAILS,
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
    # Any content type may have dates that repeat.
    jobs=(
        Job("top_up_occurrences", "events.services.occurrences.top_up", every=24 * 3600, always=True),
        Job("send_postponed_rsvp_mails", "events.services.mails.send_postponed_mails", every=300, reaches_people=True),
        Job("refresh_calendars", "events.services.calendars.refresh", every=600),
    ),
)
