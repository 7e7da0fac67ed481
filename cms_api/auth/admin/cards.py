"""The admin home's card for API tokens."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Step
from cms_api.flags.selectors import is_on

from ..models import ApiToken


def create_first_token(request: HttpRequest) -> Step | None:
    if not (is_on("api") and policy_registry.get_by_type(ApiToken).user_has_permission(request.user, "add")):
        return None
    return Step(
        "Create an API token",
        reverse("tokens:add"),
        "Integrations need one to read and write content.",
        done=ApiToken.objects.exists(),
        order=70,
    )
