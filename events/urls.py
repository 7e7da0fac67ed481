"""Public pages of content types that have dates, in the place of those of the content module, and of the events themselves."""

from django.urls import path

from .views import rsvps

urlpatterns = [
    path("events/rsvp/<str:token>/cancel", rsvps.cancel_rsvp, name="rsvp_cancel"),
    path("events/rsvp/<str:token>/cancel/", rsvps.cancel_rsvp),
    path("events/<slug:slug>/rsvp", rsvps.rsvp, name="rsvp"),
    path("events/<slug:slug>/rsvp/", rsvps.rsvp),
]
