"""Salts: visitors are stored as a keyed hash, and the key is renewed at midnight of the site's zone."""

import secrets
from datetime import date, timedelta
from hashlib import blake2b
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from cms_api.flags.selectors import site_timezone

from ..models import Salt

SALT_BYTES = 32


class Visitor(NamedTuple):
    """A visitor by the salts of today and of yesterday; the latter is 0 if there is none."""

    today: int
    yesterday: int


class Salts(NamedTuple):
    day: date
    today: bytes
    #: Empty if nobody came yesterday.
    yesterday: bytes

    def visitor(self, address: str, user_agent: str) -> Visitor:
        """Return who sends a request, by its address and browser, neither of which is stored."""
        sender = f"{address}\n{user_agent}".encode(errors="replace")
        return Visitor(_hash(sender, self.today), _hash(sender, self.yesterday) if self.yesterday else 0)


_known: Salts | None = None


def salts() -> Salts:
    """Return the salts, from the memory of this process while the day lasts."""
    day = timezone.localdate(timezone=site_timezone())
    if _known is not None and _known.day == day:
        return _known
    found = _load(day)
    # A transaction may have drawn the salt, and be rolled back.
    transaction.on_commit(lambda: _remember(found))
    return found


def _remember(found: Salts | None) -> None:
    global _known
    _known = found


def forget() -> None:
    """Forget the salts of this process; they are read again."""
    _remember(None)


def _load(day: date) -> Salts:
    days = [day, day - timedelta(days=1)]
    found = _read(days)
    if day not in found:
        # Of two processes, one draws it.
        Salt.objects.bulk_create([Salt(day=day, value=secrets.token_bytes(SALT_BYTES))], ignore_conflicts=True)
        found = _read(days)
    return Salts(day, found[day], found.get(days[1], b""))


def _read(days: list[date]) -> dict[date, bytes]:
    return {day: bytes(value) for day, value in Salt.objects.filter(day__in=days).values_list("day", "value")}


def _hash(sender: bytes, salt: bytes) -> int:
    """Return a positive number of 63 bits, as databases store it."""
    return (int.from_bytes(blake2b(sender, key=salt, digest_size=8).digest()) >> 1) or 1


def delete_old_salts() -> int:
    """Delete the salts of days before yesterday; return how many."""
    yesterday = timezone.localdate(timezone=site_timezone()) - timedelta(days=1)
    return Salt.objects.filter(day__lt=yesterday).delete()[0]
