"""Public pages of content types that have dates, in the place of those of the content module, and of the events themselves.

The converter `type` is that of the content module's URLs.
"""

from django.urls import URLPattern, path

from cms_api.content import urls as _content  # noqa: F401

from .views import feeds, rsvps

urlpatterns: list[URLPattern] = [
    path("calendar/<type:type_slug>.ics", feeds.calendar_feed, name="calendar_feed"),
    path("calendar/<type:type_slug>/<slug:slug>.ics", feeds.calendar_file, name="calendar_file"),
    path("events/rsvp/<str:token>/cancel", rsvps.cancel_rsvp, name="rsvp_cancel"),
    path("events/rsvp/<str:token>/cancel/", rsvps.cancel_rsvp),
    path("events/<slug:slug>/rsvp", rsvps.rsvp, name="rsvp"),
    path("events/<slug:slug>/rsvp/", rsvps.rsvp),
]
