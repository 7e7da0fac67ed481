"""Cards for media on the admin's home."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, Kind


def create(request: HttpRequest) -> Card:
    return Card("Images", reverse("wagtailimages:add_multiple"), Kind.CREATE, icon="image")
