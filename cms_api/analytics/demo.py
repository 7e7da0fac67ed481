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

from cms_api.flags.selectors import site_timezone

from .services.storing import store
from .types.events import Device, Event, Kind

DEMO_DAYS = 30
#: Visits of a weekday; on Saturdays and Sundays there are fewer.
WEEKDAY_VISITS, WEEKEND_VISITS = 48, 30
PAGES = (
    ("/", "Home", 30),
    ("/events", "Events", 18),
    ("/shop", "Shop", 14),
    ("/about", "About us", 10),
    ("/blog-post", "Blog", 9),
    ("/service", "Services", 7),
    ("/donate", "Donate", 5),
    ("/directory", "Directory", 4),
    ("/find-us", "Find us", 3),
)
#: Source, medium, campaign, referrer, and how often each comes.
SOURCES = (
    ("", "", "", "", 38),
    ("Google", "search", "", "google.com", 26),
    ("newsletter", "email", "spring", "", 10),
    ("Instagram", "social", "", "instagram.com", 8),
    ("Facebook", "social", "open-day", "facebook.com", 6),
    ("news.example.org", "referral", "", "news.example.org", 5),
    ("DuckDuckGo", "search", "", "duckduckgo.com", 4),
    ("Bing", "search", "", "bing.com", 3),
)
DEVICES = ((Device.PHONE, 52), (Device.DESKTOP, 42), (Device.TABLET, 6))
COUNTRIES = (("US", 62), ("CA", 12), ("GB", 9), ("DE", 8), ("FR", 5), ("", 4))
#: Goals with their least and greatest value, and the share of visits that reach them.
GOALS = (
    ("form", 0, 0, 0.03),
    ("subscription", 0, 0, 0.025),
    ("order", 1800, 9600, 0.02),
    ("booking", 4500, 9000, 0.012),
    ("ticket", 1500, 6000, 0.015),
    ("donation", 1000, 15000, 0.008),
)
SEARCHES = ("opening hours", "choir", "gift card", "parking", "workshop")
MISSING = ("/summer-2019", "/wp-login.php", "/old-shop")


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
    source, medium, campaign, referrer = _one_of(draw, SOURCES)
    origin = {"source": source, "medium": medium, "campaign": campaign, "referrer": referrer}
    sender = {"visitor": _number(name), "device": _one_of(draw, DEVICES)[0], "country": _one_of(draw, COUNTRIES)[0], **origin}
    # Most come in the afternoon and the evening.
    at = midnight + min(draw.betavariate(3, 2), 0.99) * 86_400
    views = 1 if draw.random() < 0.4 else draw.randint(2, 6)
    for place in range(views):
        path, title = _one_of(draw, PAGES)
        seconds = draw.randint(5, 180)
        uid = _number(f"{name}:{place}")
        yield Event(uid=uid, kind=Kind.VIEW, at=at, path=path, title=title, **sender)
        yield Event(uid=uid, kind=Kind.TIME, at=at + seconds, visitor=0, seconds=seconds)
        at += seconds
    yield from _deeds(draw, name, at, sender)


def _deeds(draw: random.Random, name: str, at: float, sender: dict[str, Any]) -> Iterator[Event]:
    """Yield what a visitor does besides looking at pages."""
    for goal, least, greatest, share in GOALS:
        if draw.random() < share:
            amount: dict[str, Any] = {"value_cents": draw.randrange(least, greatest, 50), "currency": "usd"} if greatest else {}
            yield Event(uid=_number(f"{name}:{goal}"), kind=Kind.GOAL, at=at, visitor=sender["visitor"], goal=goal, **amount)
    if draw.random() < 0.06:
        words = draw.choice(SEARCHES)
        yield Event(uid=_number(f"{name}:search"), kind=Kind.SEARCH, at=at, path="/search", words=words, **sender)
    if draw.random() < 0.03:
        yield Event(uid=_number(f"{name}:missing"), kind=Kind.MISSING, at=at, path=draw.choice(MISSING), **sender)


def _one_of(draw: random.Random, choices: Any) -> tuple[Any, ...]:
    """Return one of the choices without its weight, which is the last part."""
    return tuple(draw.choices(choices, weights=[each[-1] for each in choices])[0][:-1])


def _number(name: str) -> int:
    return int.from_bytes(blake2b(f"demo:{name}".encode(), digest_size=8).digest()) >> 1 or 1
