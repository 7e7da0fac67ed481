"""Cards for forms on the admin's home."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import RECENT_AGE, Card, Kind, count_up_to_max

from ..models import Form, Submission


def submissions(request: HttpRequest) -> Iterator[Card]:
    """Yield cards for new submissions and for those in quarantine (two statements)."""
    policy = policy_registry.get_by_type(Submission)
    index = reverse("form_submissions:index")
    if policy.user_has_permission(request.user, "view"):
        received = Submission.objects.filter(is_spam=False, created_at__gte=timezone.now() - RECENT_AGE)
        yield Card(
            "New form submissions",
            f"{index}?is_spam=false",
            text="Received in the last 7 days.",
            icon="form",
            count=count_up_to_max(received),
        )
    if policy.user_has_permission(request.user, "change"):
        yield Card(
            "Submissions in quarantine",
            f"{index}?is_spam=true",
            text="They look like spam. Release those that are not.",
            icon="warning",
            count=count_up_to_max(Submission.objects.filter(is_spam=True)),
        )


def create(request: HttpRequest) -> Card | None:
    if not policy_registry.get_by_type(Form).user_has_permission(request.user, "add"):
        return None
    return Card("Form", reverse("site_forms:add"), Kind.CREATE, icon="form")
