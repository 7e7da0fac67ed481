"""The CRM's cards on the admin home."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, Kind


def create(request: HttpRequest) -> Card:
    return Card("Contact", reverse("crm_contacts:add"), Kind.CREATE, icon="user")
