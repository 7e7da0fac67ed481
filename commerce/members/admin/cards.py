"""The admin home's card for memberships."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, count_up_to_max

from .. import selectors


def awaiting_payment(request: HttpRequest) -> Card:
    return Card(
        "Plans awaiting payment",
        reverse("members:index") + "?awaiting_payment=yes",
        text="Confirm payments that arrive outside the site.",
        icon="group",
        count=count_up_to_max(selectors.awaiting_payment()),
    )
