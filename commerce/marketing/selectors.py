"""Reads of subscribers."""

from django.db.models import QuerySet

from cms_api.core.search import matching

from .models import Subscriber
from .types import Status


def subscribers(*, status: str | None = None, search: str | None = None, email: str | None = None) -> QuerySet[Subscriber]:
    """Subscribers; `search` finds the beginnings of words in name and address."""
    found = Subscriber.objects.all()
    if status:
        found = found.filter(status=status)
    if email:
        found = found.filter(email=email.lower())
    return matching(found, search) if search else found


def find_subscriber(id_or_email: int | str) -> Subscriber | None:
    """By id, or by address in any case."""
    found = Subscriber.objects.filter(pk=id_or_email) if isinstance(id_or_email, int) else subscribers(email=id_or_email)
    return found.first()


def may_be_written_to(email: str) -> bool:
    """Whether an address wants mail of this kind: it is subscribed and confirmed."""
    return subscribers(status=Status.ACTIVE, email=email).exists()
