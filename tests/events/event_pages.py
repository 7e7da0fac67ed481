"""Builders for the tests of public pages: events relative to now, pages, and a clock that can be moved forward."""

import datetime as dt
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import all_types
from cms_api.core import versions
from cms_api.flags.services import switch_feature
from events.services.builtin import create as create_events
from tests.builders import field, make_item, make_type

WEEKLY = {"frequency": "weekly", "count": 4}


def events() -> ContentType:
    """The built-in type, switched on."""
    create_events()
    switch_feature(name="events", on=True)
    versions.forget()
    return all_types()["events"]


def gatherings(**changes: Any) -> ContentType:
    """A type of people's own that has a date."""
    return make_type(field("at", "datetime", facet=True), field("kind", "taxonomy"), slug="gatherings", **changes)


def at(hours: float, length: float = 2, **more: Any) -> dict[str, Any]:
    """A date that begins so many hours from now."""
    start = timezone.now() + dt.timedelta(hours=hours)
    end = start + dt.timedelta(hours=length)
    return {"start": start.isoformat(timespec="seconds"), "end": end.isoformat(timespec="seconds"), "tz": "UTC", **more}


def make_event(title: str = "Concert", date: dict[str, Any] | None = None, **more: Any) -> ContentItem:
    data = more.pop("data", {})
    return make_item(events(), title=title, data={**({"event_date": date} if date else {}), **data}, **more)


def page(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, (path, response.status_code)
    return response.content.decode()


def titles(html: str) -> list[str]:
    return re.findall(r'class="card__title">(?:<a [^>]*>)?([^<]*)<', html)


def graph(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def put_forward(monkeypatch: pytest.MonkeyPatch, **by: float) -> Callable[[], dt.datetime]:
    moment = timezone.now() + dt.timedelta(**by)
    monkeypatch.setattr(timezone, "now", lambda: moment)
    return timezone.now
