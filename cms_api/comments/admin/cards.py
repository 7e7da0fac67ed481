"""Cards for comments on the admin's home."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, count_up_to_max

from ..selectors import are_taken, visible_comments
from ..types import Status


def waiting(request: HttpRequest) -> Card | None:
    if not are_taken():
        return None
    return Card(
        "Comments awaiting moderation",
        reverse("comments:index") + "?status=pending",
        text="Visitors don't see them until they are approved.",
        icon="comment",
        count=count_up_to_max(visible_comments().filter(status=Status.PENDING, waits=1)),
    )
