"""Cards for forms on the admin's home."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import RECENT_AGE, Card, Kind, count_up_to_max

from ..models import Submission


def new_submissions(request: HttpRequest) -> Card:
    received = Submission.objects.filter(is_spam=False, created_at__gte=timezone.now() - RECENT_AGE)
    return Card(
        "New form submissions",
        reverse("form_submissions:index") + "?is_spam=false",
        text="Received in the last 7 days.",
        icon="form",
        count=count_up_to_max(received),
    )


def quarantine(request: HttpRequest) -> Card:
    return Card(
        "Submissions in quarantine",
        reverse("form_submissions:index") + "?is_spam=true",
        text="They look like spam. Release those that are not.",
        icon="warning",
        count=count_up_to_max(Submission.objects.filter(is_spam=True)),
    )


def create(request: HttpRequest) -> Card:
    return Card("Form", reverse("site_forms:add"), Kind.CREATE, icon="form")
