"""The admin home's card for memberships."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, count_up_to_max

from .. import selectors
from ..models import Member


def awaiting_payment(request: HttpRequest) -> Card | None:
    if not policy_registry.get_by_type(Member).user_has_permission(request.user, "change"):
        return None
    return Card(
        "Plans awaiting payment",
        reverse("members:index") + "?awaiting_payment=yes",
        text="Confirm payments that arrive outside the site.",
        icon="group",
        count=count_up_to_max(selectors.awaiting_payment()),
    )
