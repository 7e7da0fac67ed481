"""The admin home's card for reviews."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, count_up_to_max

from ..models import Review
from ..selectors import reviews
from ..types import ReviewStatus


def pending(request: HttpRequest) -> Card | None:
    """Return the reviews that await moderation (one statement)."""
    if not policy_registry.get_by_type(Review).user_has_permission(request.user, "change"):
        return None
    return Card(
        "Reviews awaiting moderation",
        set_query_params(reverse("reviews:index"), {"status": ReviewStatus.PENDING.value}),
        text="Visitors don't see them until they are approved.",
        icon="pick",
        count=count_up_to_max(reviews(status=ReviewStatus.PENDING)),
    )
