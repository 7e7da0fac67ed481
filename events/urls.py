"""Public pages of content types that have dates, in the place of those of the content module, and of the events themselves."""

from django.urls import path

from .views import submissions

urlpatterns = [
    path("events/submit", submissions.submit, name="submit_event"),
    path("events/submit/", submissions.submit),
]
