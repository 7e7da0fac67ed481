"""The admin home's cards for API tokens."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, Step, count_up_to_max
from cms_api.flags.selectors import is_on

from ..models import ApiToken


def count_abandoned(request: HttpRequest) -> Card:
    return Card(
        "API tokens of former admins",
        reverse("tokens:index") + "?creator=gone",
        text="They still work. Revoke those that nobody answers for.",
        icon="key",
        count=count_up_to_max(ApiToken.objects.filter_abandoned()),
    )


def create_first_token(request: HttpRequest) -> Step | None:
    if not is_on("api"):
        return None
    return Step(
        "Create an API token",
        reverse("tokens:add"),
        "Integrations need one to read and write content.",
        done=ApiToken.objects.exists(),
        order=70,
    )
