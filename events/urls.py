"""Public pages of dated content types, which override the content module's, and of the events type.

The converter `type` is that of the content module's URLs.
"""

from django.urls import URLPattern, path, register_converter

from cms_api.content.selectors import find_type
from cms_api.content.urls import TypeConverter

from .views import details, feeds, lists, rsvps, submissions


class DatedTypeConverter(TypeConverter):
    """The slug of a dated content type visible to visitors; others are left to `content`."""

    def to_python(self, value: str) -> str:
        found = find_type(value)
        if found is None or found.date_field is None:
            raise ValueError(value)
        return value


register_converter(DatedTypeConverter, "dated")

#: Pages of the events type.
urlpatterns: list[URLPattern] = [
    path("events/submit", submissions.submit, name="submit_event"),
    path("events/rsvp/<secret:token>/cancel", rsvps.cancel_rsvp, name="rsvp_cancel"),
    path("events/<slug:slug>/rsvp", rsvps.rsvp, name="rsvp"),
]

#: Pages of any dated content type. Unnamed routes have the URLs of the content module, which `reverse` uses.
calendar_patterns: list[URLPattern] = [
    path("calendar/<type:type_slug>.ics", feeds.calendar_feed, name="calendar_feed"),
    path("calendar/<type:type_slug>/<slug:slug>.ics", feeds.calendar_file, name="calendar_file"),
    path("<dated:type_slug>", lists.item_list),
    path("<dated:type_slug>/<slug:slug>", details.item_detail),
    path("<dated:type_slug>/<slug:taxonomy>/<slug:term>", lists.term_archive),
]
