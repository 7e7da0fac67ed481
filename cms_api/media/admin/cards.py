"""Cards for media on the admin's home."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, Kind

from ..models import MediaImage


def create(request: HttpRequest) -> Card | None:
    if not policy_registry.get_by_type(MediaImage).user_has_permission(request.user, "add"):
        return None
    return Card("Images", reverse("wagtailimages:add_multiple"), Kind.CREATE, icon="image")
