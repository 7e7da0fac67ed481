"""Salts: visitors are stored as a keyed hash, and the key is renewed at midnight of the site's zone."""

import secrets
from datetime import date, timedelta
from hashlib import blake2b
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from cms_api.flags.selectors import site_timezone

from ..models import Salt

SIZE = 32


class Salts(NamedTuple):
    day: date
    today: bytes
    #: Empty if nobody came yesterday.
    yesterday: bytes


class Visitor(NamedTuple):
    """A visitor by the salts of today and of yesterday; the latter is 0 if there is none."""

    today: int
    yesterday: int


_known: Salts | None = None


def salts() -> Salts:
    """Return the salts, from the memory of this process while the day lasts."""
    global _known
    day = timezone.localdate(timezone=site_timezone())
    if _known is None or _known.day != day:
        _known = _load(day)
    return _known


def forget() -> None:
    """Forget the salts of this process; they are read again."""
    global _known
    _known = None


def _load(day: date) -> Salts:
    with transaction.atomic():
        Salt.objects.bulk_create([Salt(day=day, value=secrets.token_bytes(SIZE))], ignore_conflicts=True)
    found = dict(Salt.objects.filter(day__in=[day, day - timedelta(days=1)]).values_list("day", "value"))
    return Salts(day, bytes(found[day]), bytes(found.get(day - timedelta(days=1), b"")))


def visitor(address: str, user_agent: str) -> Visitor:
    """Return who sends a request, by its address and browser, neither of which is stored."""
    known = salts()
    sender = f"{address}\n{user_agent}".encode(errors="replace")
    return Visitor(_hash(sender, known.today), _hash(sender, known.yesterday) if known.yesterday else 0)


def _hash(sender: bytes, salt: bytes) -> int:
    """Return a positive number of 63 bits, as databases store it."""
    return (int.from_bytes(blake2b(sender, key=salt, digest_size=8).digest()) >> 1) or 1


def delete_old_salts() -> int:
    """Delete the salts of days before yesterday; return how many."""
    yesterday = timezone.localdate(timezone=site_timezone()) - timedelta(days=1)
    return Salt.objects.filter(day__lt=yesterday).delete()[0]
