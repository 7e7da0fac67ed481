"""Demo visits of the thirty days that end today, with sources, devices, countries, searches and conversions.

Each day is drawn from its date, and events are recognised by their numbers: loading again only adds what is missing.
Today ends at the beginning of this hour.
"""

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from hashlib import blake2b
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.demo import data_beside
from cms_api.flags.selectors import site_timezone

from .services.storing import store
from .types.events import Event, Kind

DEMO_DAYS = 30
#: Visits of a weekday; on Saturdays and Sundays there are fewer.
WEEKDAY_VISITS, WEEKEND_VISITS = 48, 30
DATA = data_beside(__file__)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Store the events of each day that are missing."""
    now = timezone.now().astimezone(site_timezone())
    until = now.replace(minute=0, second=0, microsecond=0).timestamp()
    for back in reversed(range(DEMO_DAYS)):
        day = now.date() - timedelta(days=back)
        with transaction.atomic():
            store([event for event in _events(day, scale) if event.at < until])
        progress(1)


def _events(day: date, scale: int) -> Iterator[Event]:
    midnight = datetime.combine(day, time(), tzinfo=site_timezone()).timestamp()
    for number in range((WEEKEND_VISITS if day.weekday() > 4 else WEEKDAY_VISITS) * scale):
        # By the number, so that a greater scale only adds visits.
        yield from _visit(random.Random(f"{day}:{number}"), f"{day}:{number}", midnight)


def _visit(draw: random.Random, name: str, midnight: float) -> Iterator[Event]:
    sender: dict[str, Any] = {"visitor": _number(name)}
    for origin in ("sources", "devices", "countries"):
        sender |= _draw_row(draw, DATA[origin])
    # Most come in the afternoon and the evening.
    at = midnight + min(draw.betavariate(3, 2), 0.99) * 86_400
    views = 1 if draw.random() < 0.4 else draw.randint(2, 6)
    for place in range(views):
        page, seconds = _draw_row(draw, DATA["pages"]), draw.randint(5, 180)
        uid = _number(f"{name}:{place}")
        yield Event(uid=uid, kind=Kind.VIEW, at=at, **page, **sender)
        yield Event(uid=uid, kind=Kind.TIME, at=at + seconds, visitor=0, seconds=seconds)
        at += seconds
    yield from _deeds(draw, name, at, sender)


def _deeds(draw: random.Random, name: str, at: float, sender: dict[str, Any]) -> Iterator[Event]:
    """Yield what a visitor does besides looking at pages."""
    for row in DATA["goals"]:
        if draw.random() < row["share"]:
            goal, least, greatest = row["goal"], row["least_cents"], row["greatest_cents"]
            amount: dict[str, Any] = {"value_cents": draw.randrange(least, greatest, 50), "currency": "usd"} if greatest else {}
            yield Event(uid=_number(f"{name}:{goal}"), kind=Kind.GOAL, at=at, visitor=sender["visitor"], goal=goal, **amount)
    if draw.random() < 0.06:
        words = draw.choice(DATA["searches"])
        yield Event(uid=_number(f"{name}:search"), kind=Kind.SEARCH, at=at, path="/search", words=words, **sender)
    if draw.random() < 0.03:
        yield Event(uid=_number(f"{name}:missing"), kind=Kind.MISSING, at=at, path=draw.choice(DATA["missing"]), **sender)


def _draw_row(draw: random.Random, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one of the rows, by their weights and without its own."""
    row = draw.choices(rows, weights=[each["weight"] for each in rows])[0]
    return {name: value for name, value in row.items() if name != "weight"}


def _number(name: str) -> int:
    return int.from_bytes(blake2b(f"demo:{name}".encode(), digest_size=8).digest()) >> 1 or 1
