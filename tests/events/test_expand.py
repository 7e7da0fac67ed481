"""Saving an item lays out its dates; saving it again changes nothing that did not change."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem, Tally
from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.flags.services import set_setting
from events.models import Rsvp, Series
from events.services.occurrences import top_up
from tests.builders import field, make_item, make_type

pytestmark = pytest.mark.django_db

WEEKLY = {"frequency": "weekly", "count": 4}


def when(start: str = "2026-03-22T18:30", repeat: Any = None, **more: Any) -> dict[str, Any]:
    return {"start": start, "tz": "Europe/Paris", "repeat": repeat, **more}


def make_event(**values: Any) -> ContentItem:
    item_type = make_type(field("at", "datetime", facet=True), field("place", "text"))
    return make_item(item_type, title="Rehearsal", data={"at": when(**values)})


def dates(item: ContentItem) -> dict[str, int]:
    rows = ContentItem.objects.filter(owner=item).order_by("starts_at")
    return {row.data["at"]["start"] + (" cancelled" if row.data["at"].get("cancelled") else ""): row.pk for row in rows}


def change(item: ContentItem, **values: Any) -> None:
    update_item(item=item, values={"data": {"at": when(**values)}})


def reply(item: ContentItem, row: ContentItem, email: str = "dana@example.org") -> Rsvp:
    start = row.data["at"]["start"]
    return Rsvp.objects.create(
        event=item, occurrence=row, occurrence_start=start, name="Dana", email=email, email_key=email, party_size=2
    )


@pytest.mark.both_databases
def test_it_works() -> None:
    item = make_event(repeat=WEEKLY)
    assert list(dates(item)) == ["2026-03-29T18:30:00", "2026-04-05T18:30:00", "2026-04-12T18:30:00"]
    row = ContentItem.objects.get(owner=item, data__at__start="2026-03-29T18:30:00")
    assert (row.title, row.status, row.published_at) == ("Rehearsal", "published", item.published_at)
    # Summer time has begun that night: an hour earlier in UTC, the same by the clock.
    assert row.starts_at.isoformat() == "2026-03-29T16:30:00+00:00"
    item.refresh_from_db()
    assert item.lasts_until.isoformat() == "2026-04-12T16:30:00+00:00"
    assert Tally.objects.get(type=item.type, owned=True).total == 3


def test_saving_without_a_change_writes_nothing() -> None:
    item = make_event(repeat=WEEKLY)
    before = list(ContentItem.objects.filter(owner=item).order_by("pk").values())
    with CaptureQueriesContext(
        connection,
    ) as captured:
        update_item(item=item, values={"data": {"place": "Hall"}})
    assert list(ContentItem.objects.filter(owner=item).order_by("pk").values()) == before
    assert not [query["sql"] for query in captured if query["sql"].startswith('INSERT INTO "content_contentitem"')]


def test_dates_that_stay_keep_their_rows() -> None:
    item = make_event(repeat=WEEKLY)
    before = dates(item)
    change(item, repeat={"frequency": "weekly", "interval": 2, "count": 4})
    after = dates(item)
    assert list(after) == ["2026-04-05T18:30:00", "2026-04-19T18:30:00", "2026-05-03T18:30:00"]
    assert after["2026-04-05T18:30:00"] == before["2026-04-05T18:30:00"]


def test_title_and_status_follow() -> None:
    item = make_event(repeat=WEEKLY)
    before = dates(item)
    update_item(item=item, values={"data": {"title": "Concert"}, "slug": "other"})
    unpublish_item(item=item)
    rows = ContentItem.objects.filter(owner=item)
    assert {(row.title, row.status, row.live) for row in rows} == {("Concert", "unpublished", False)}
    assert all(row.slug.startswith("other--2026") for row in rows)
    assert dates(item) == before
    assert {row.status: row.total for row in Tally.objects.filter(type=item.type, owned=True)} == {
        "published": 0,
        "unpublished": 3,
    }


def test_a_vanished_date_with_replies_stays_cancelled() -> None:
    item = make_event(repeat=WEEKLY)
    row = ContentItem.objects.get(pk=dates(item)["2026-03-29T18:30:00"])
    reply(item, row)
    change(item, repeat={"frequency": "weekly", "interval": 2, "count": 2})
    after = dates(item)
    assert list(after) == ["2026-03-29T18:30:00 cancelled", "2026-04-05T18:30:00"]
    assert after["2026-03-29T18:30:00 cancelled"] == row.pk


def test_a_cancelled_date_that_comes_back_is_on_again() -> None:
    item = make_event(repeat=WEEKLY)
    row = ContentItem.objects.get(pk=dates(item)["2026-03-29T18:30:00"])
    reply(item, row)
    change(item, repeat=None)
    assert dates(item) == {"2026-03-29T18:30:00 cancelled": row.pk}
    change(item, repeat=WEEKLY)
    assert dates(item)["2026-03-29T18:30:00"] == row.pk


def test_replies_stay_with_their_date_when_the_series_begins_later() -> None:
    item = make_event(repeat=WEEKLY)
    first = reply(item, item, "a@example.org")
    second = reply(item, ContentItem.objects.get(pk=dates(item)["2026-03-29T18:30:00"]))
    change(item, start="2026-03-29T18:30", repeat={"frequency": "weekly", "count": 3})
    first.refresh_from_db()
    second.refresh_from_db()
    assert second.occurrence_id == item.pk
    assert list(dates(item)) == ["2026-03-22T18:30:00 cancelled", "2026-04-05T18:30:00", "2026-04-12T18:30:00"]
    assert first.occurrence_id == dates(item)["2026-03-22T18:30:00 cancelled"]


def test_replies_to_a_single_date_go_with_it() -> None:
    item = make_event()
    given = reply(item, item)
    change(item, start="2026-04-01T19:00")
    given.refresh_from_db()
    assert (given.occurrence_id, given.occurrence_start) == (item.pk, "2026-04-01T19:00:00")
    assert dates(item) == {}


def test_a_rule_without_end_is_topped_up() -> None:
    set_setting(key="recurrence.horizon_days", value=30)
    item = make_event(start="2026-03-22T18:30", repeat={"frequency": "monthly"})
    count = len(dates(item))
    assert top_up() == 0
    set_setting(key="recurrence.horizon_days", value=400)
    assert top_up() == 1
    assert len(dates(item)) > count + 10
    assert top_up() == 0


@pytest.mark.both_databases
def test_deleting_takes_the_rows_along() -> None:
    item = make_event(repeat=WEEKLY)
    delete_item(item=item)
    assert not ContentItem.objects.exists()
    assert not Series.objects.exists()
    assert not Tally.objects.filter(total__gt=0).exists()
