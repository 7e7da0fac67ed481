"""The demo's events: of every kind that pages and feeds have to cope with, and never twice."""

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.types import Status
from cms_api.flags.selectors import is_on
from cms_api.flags.services import switch_feature
from events.demo import load
from events.models import Series

from .event_pages import page, titles

pytestmark = pytest.mark.django_db


def events() -> list[ContentItem]:
    return list(ContentItem.objects.filter(type__slug="events", owner=None).order_by("pk"))


def test_it_works(client: Client) -> None:
    load(1, lambda count: None)
    assert not is_on("events")
    switch_feature(name="events", on=True)
    upcoming = titles(page(client, "/events"))
    assert {"Choir on Thursdays", "River festival", "Last Friday supper"} <= set(upcoming)
    assert set(titles(page(client, "/events?tab=past"))) == {"Kiln opening", "Brass on the steps"}
    for item in events():
        page(client, f"/events/{item.slug}", 200 if item.status == Status.PUBLISHED else 404)
    # There is one of every kind.
    rules = [value["repeat"] for value in (item.data["event_date"] for item in events()) if value["repeat"]]
    assert {rule["frequency"] for rule in rules} == {"weekly", "monthly", "yearly"}
    assert [rule["monthly"] for rule in rules if rule["frequency"] == "monthly"] == ["weekday"]
    assert Series.objects.count() == 3
    assert any(item.data["event_date"]["all_day"] for item in events())
    assert {item.status for item in events()} == {Status.PUBLISHED, Status.DRAFT}
    # Loading again adds only what is missing.
    before = events()
    gone = before.pop(1)
    gone.delete()
    load(1, lambda count: None)
    assert [item.slug for item in events()] == [*(item.slug for item in before), gone.slug]
    count = ContentItem.objects.count()
    load(1, lambda count: None)
    assert ContentItem.objects.count() == count
