"""Reads of subscribers."""

import re
from collections.abc import Sequence

from django.db.models import QuerySet

from cms_api.core import versions
from cms_api.core.search import matching

from .models import MailingList, Subscriber
from .types import LISTS, Status

_ID = re.compile("[1-9][0-9]{0,18}")


def subscribers(*, status: str | None = None, search: str | None = None, email: str | None = None) -> QuerySet[Subscriber]:
    """Subscribers; `search` finds the beginnings of words in name and address."""
    found = Subscriber.objects.all()
    if status:
        found = found.filter(status=status)
    if email:
        found = found.filter(email=email.lower())
    return matching(found, search) if search else found


def find_subscriber(reference: int | str) -> Subscriber | None:
    """By id, which may be written in digits, or by address in any case."""
    if isinstance(reference, int) or _ID.fullmatch(reference):
        return Subscriber.objects.filter(pk=int(reference)).first() if int(reference) < 2**63 else None
    return subscribers(email=reference).first() if reference.strip() else None


def may_be_written_to(email: str) -> bool:
    """Whether an address wants mail of this kind: it is subscribed and confirmed."""
    return subscribers(status=Status.ACTIVE, email=email).exists()


def public_lists() -> list[MailingList]:
    """The lists that visitors may choose, in their order; kept by the process until one changes."""
    return versions.cached(LISTS, lambda: list(MailingList.objects.filter(is_public=True)))


def lists_of(subscriber: Subscriber) -> list[MailingList]:
    """Those of the public lists that somebody is on."""
    held = {tag.casefold() for tag in subscriber.tags}
    return [each for each in public_lists() if each.tag.casefold() in held]


def lists_by_slug(slugs: Sequence[str]) -> list[MailingList]:
    """Those of the public lists that are named; a name that none has is passed over."""
    return [each for each in public_lists() if each.slug in slugs]
