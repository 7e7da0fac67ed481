"""The admin home's card for reviews."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, count_up_to_max

from ..selectors import reviews
from ..types import ReviewStatus


def pending(request: HttpRequest) -> Card:
    """Return the reviews that await moderation (one statement)."""
    return Card(
        "Reviews awaiting moderation",
        set_query_params(reverse("reviews:index"), {"status": ReviewStatus.PENDING.value}),
        text="Visitors don't see them until they are approved.",
        icon="pick",
        count=count_up_to_max(reviews(status=ReviewStatus.PENDING)),
    )
