"""The CRM's cards on the admin home."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, Kind

from ..models import Contact


def create(request: HttpRequest) -> Card | None:
    if not policy_registry.get_by_type(Contact).user_has_permission(request.user, "add"):
        return None
    return Card("Contact", reverse("crm_contacts:add"), Kind.CREATE, icon="user")
