"""Reads of clients."""

from django.db.models import QuerySet

from cms_api.text.search import matching

from ..models import Client


def clients(*, search: str = "") -> QuerySet[Client]:
    """Return clients; `search` matches word prefixes of names, email addresses, phone numbers and tax IDs."""
    found = Client.objects.all()
    return matching(found, search) if search.strip() else found
