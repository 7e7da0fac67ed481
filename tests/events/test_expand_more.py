"""Laying out dates where the item, its type or the clock is not the usual, and what the API says of the rows."""

import datetime as dt

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem, Tally
from cms_api.content.services.bulk import create_items
from cms_api.content.services.items import publish_due_items, publish_revision, save_draft, update_item
from cms_api.content.services.types import refresh_items, save_type
from cms_api.flags.services import set_setting
from events.models import Rsvp, Series
from tests.builders import field, make_item, make_type
from tests.client import Api

from .test_expand import WEEKLY, change, dates, make_event, reply, when

pytestmark = pytest.mark.django_db

DAILY = {"frequency": "daily", "count": 3}


def rows_of(item: ContentItem) -> list[ContentItem]:
    return list(ContentItem.objects.filter(owner=item).order_by("starts_at", "pk"))


def test_a_date_in_another_timezone_is_the_same_date() -> None:
    item = make_event(repeat=WEEKLY)
    before = rows_of(item)
    given = reply(item, before[0])
    change(item, repeat=WEEKLY, tz="America/New_York")
    rows = rows_of(item)
    assert [row.pk for row in rows] == [row.pk for row in before]
    assert {(row.data["at"]["tz"], row.data["at"].get("cancelled", False)) for row in rows} == {("America/New_York", False)}
    given.refresh_from_db()
    assert given.occurrence_id == rows[0].pk
    assert str(rows[0].starts_at) == "2026-03-29 22:30:00+00:00"


def test_whole_days() -> None:
    item = make_event(start="2026-03-27", end="2026-03-29", all_day=True, repeat={"frequency": "weekly", "count": 3})
    assert list(dates(item)) == ["2026-04-03", "2026-04-10"]
    row = rows_of(item)[0]
    assert (row.data["at"]["end"], row.data["at"]["all_day"]) == ("2026-04-05", True)
    before = dates(item)
    change(item, start="2026-03-27", end="2026-03-28", all_day=True, repeat={"frequency": "weekly", "count": 3})
    assert dates(item) == before
    assert rows_of(item)[0].data["at"]["end"] == "2026-04-04"


def test_whole_days_that_get_a_time_are_the_same_dates() -> None:
    item = make_event(start="2026-03-27", all_day=True, repeat=DAILY)
    before = rows_of(item)
    given = reply(item, before[0])
    change(item, start="2026-03-27T10:00", repeat=DAILY)
    assert list(dates(item).items()) == [("2026-03-28T10:00:00", before[0].pk), ("2026-03-29T10:00:00", before[1].pk)]
    given.refresh_from_db()
    assert (given.occurrence_id, given.occurrence_start) == (before[0].pk, "2026-03-28T10:00:00")


def test_no_more_than_a_thousand_with_the_item_itself() -> None:
    item = make_event(repeat={"frequency": "daily", "until": "2040-01-01"})
    assert len(rows_of(item)) == 999
    assert not Series.objects.get(item=item).is_open


def test_a_rule_without_end_that_has_reached_the_limit_is_done() -> None:
    item = make_event(start="2020-01-01T10:00", repeat={"frequency": "daily"})
    assert len(rows_of(item)) == 999
    assert not Series.objects.get(item=item).is_open


@pytest.mark.both_databases
def test_a_date_in_the_gap_that_is_there_twice_has_one_row() -> None:
    item = make_event(start="2011-12-29T10:00", tz="Pacific/Apia", repeat={"frequency": "daily", "count": 4})
    assert list(dates(item)) == ["2011-12-31T10:00:00", "2012-01-01T10:00:00", "2012-01-02T10:00:00"]


@pytest.mark.both_databases
def test_another_date_field_becomes_the_facet() -> None:
    fields = [field("at", "datetime", facet=True), field("doors", "datetime")]
    item_type = make_type(*fields)
    item = make_item(item_type, data={"at": when(repeat=WEEKLY), "doors": when("2026-05-01T17:00", repeat=DAILY)})
    given = reply(item, rows_of(item)[0])
    title = item_type.fields[0]
    save_type(item_type=item_type, values={"fields": [title, fields[0] | {"facet": False}, fields[1] | {"facet": True}]})
    refresh_items()
    update_item(item=item, values={"excerpt": ""})
    rows = rows_of(item)
    shown = [(row.data["doors"]["start"], row.data["doors"].get("cancelled", False)) for row in rows]
    assert shown == [("2026-03-29T18:30:00", True), ("2026-05-02T17:00:00", False), ("2026-05-03T17:00:00", False)]
    given.refresh_from_db()
    assert given.occurrence_id == rows[0].pk


def test_the_date_field_goes_and_another_comes() -> None:
    item_type = make_type(field("at", "datetime", facet=True))
    item = make_item(item_type, data={"at": when(repeat=WEEKLY)})
    reply(item, rows_of(item)[0])
    title = item_type.fields[0]
    save_type(item_type=item_type, values={"fields": [title, field("at", "text")]})
    refresh_items()
    update_item(item=item, values={"excerpt": ""})
    save_type(item_type=item_type, values={"fields": [title, field("at", "datetime", facet=True)]})
    refresh_items()
    update_item(item=item, values={"data": {"at": when("2026-06-01T10:00", repeat=DAILY)}})
    assert list(dates(item)) == ["2026-03-29T18:30:00 cancelled", "2026-06-02T10:00:00", "2026-06-03T10:00:00"]
    assert Rsvp.objects.get().occurrence_id == rows_of(item)[0].pk


@pytest.mark.both_databases
def test_titles_may_have_to_be_unique() -> None:
    item_type = make_type(field("at", "datetime", facet=True))
    make_item(item_type, title="Choir", data={"at": when(repeat=WEEKLY)})
    unique = {**item_type.fields[0], "unique": True}
    save_type(item_type=item_type, values={"fields": [unique, *item_type.fields[1:]]})
    refresh_items()
    item = ContentItem.objects.get(type=item_type, owner=None)
    update_item(item=item, values={"data": {"at": when(repeat=DAILY)}})
    assert len(rows_of(item)) == 2


def test_a_type_without_a_field_for_titles() -> None:
    item_type = save_type(slug="shifts", values={"name": "Shift", "fields": [field("at", "datetime")]})
    item = make_item(item_type, data={"at": when(repeat=DAILY)})
    assert [row.data.keys() for row in rows_of(item)] == [{"at"}, {"at"}]
    assert {row.title for row in rows_of(item)} == {item.title}


@pytest.mark.both_databases
def test_a_draft_of_a_published_item_changes_nothing_public() -> None:
    item = make_event(repeat=WEEKLY)
    before = [(row.pk, row.updated_at, row.data) for row in rows_of(item)]
    item, revision = save_draft(item=item, values={"data": {"title": "Other", "at": when(repeat=DAILY)}})
    assert [(row.pk, row.updated_at, row.data) for row in rows_of(item)] == before
    publish_revision(item=item, revision=revision)
    assert list(dates(item)) == ["2026-03-23T18:30:00", "2026-03-24T18:30:00"]
    assert {row.title for row in rows_of(item)} == {"Other"}


def test_rows_of_a_scheduled_item_are_published_with_it() -> None:
    item = make_item(
        make_type(field("at", "datetime")),
        data={"at": when(repeat=DAILY)},
        status="scheduled",
        published_at=timezone.now() + dt.timedelta(hours=1),
    )
    assert [(row.status, row.live) for row in rows_of(item)] == [("scheduled", False)] * 2
    # Owned rows are not due by themselves.
    ContentItem.objects.filter(pk=item.pk).update(published_at=timezone.now() - dt.timedelta(minutes=1))
    assert publish_due_items() == 1
    assert [(row.status, row.live) for row in rows_of(item)] == [("published", True)] * 2
    assert {tally.status: tally.total for tally in Tally.objects.filter(owned=True) if tally.total} == {"published": 2}


def test_only_items_that_are_due_are_published_and_never_a_row_alone() -> None:
    item = make_item(
        make_type(field("at", "datetime")),
        data={"at": when(repeat=DAILY)},
        status="scheduled",
        published_at=timezone.now() + dt.timedelta(hours=1),
    )
    ContentItem.objects.filter(type=item.type).update(published_at=timezone.now() - dt.timedelta(minutes=1))
    publish_due_items()
    statuses = ContentItem.objects.filter(type=item.type).order_by().values_list("status", flat=True).distinct()
    assert list(statuses) == ["published"]
    assert {tally.owned: tally.total for tally in Tally.objects.filter(type=item.type) if tally.total} == {False: 1, True: 2}


@pytest.mark.both_databases
def test_many_at_once() -> None:
    item_type = make_type(field("at", "datetime"))
    sent = [
        {"data": {"title": f"Course {n}", "at": when(repeat=DAILY if n % 2 else None)}, "status": "published"} for n in range(6)
    ]
    items = create_items(item_type=item_type, rows=sent)
    assert [len(rows_of(item)) for item in items] == [0, 2, 0, 2, 0, 2]
    assert {tally.owned: tally.total for tally in Tally.objects.filter(type=item_type)} == {False: 6, True: 6}
    for item in items:
        item.refresh_from_db()
        assert f"{item.lasts_until:%d}" == ("24" if dates(item) else "22")


@pytest.mark.both_databases
def test_the_same_title_twice_gives_other_slugs() -> None:
    item_type = make_type(field("at", "datetime"))
    for _ in range(2):
        make_item(item_type, title="Choir", data={"at": when(repeat=DAILY)})
    slugs = set(ContentItem.objects.filter(type=item_type).values_list("slug", flat=True))
    assert {"choir", "choir-2", "choir--20260323t183000", "choir-2--20260323t183000"} <= slugs
    assert len(slugs) == 6


def test_a_hostile_horizon_is_kept_within_ten_years() -> None:
    for days in (-5, 10**9):
        set_setting(key="recurrence.horizon_days", value=days)
        item = make_event(start="2026-03-22T18:30", repeat={"frequency": "yearly"})
        assert len(rows_of(item)) <= 12


@pytest.mark.both_databases
class TestOverTheApi:
    @pytest.fixture
    def item(self, api_on: None) -> ContentItem:
        return make_event(repeat=WEEKLY)

    def test_it_works(self, api: Api, item: ContentItem) -> None:
        row = rows_of(item)[0]
        record = api.data(f"/content-items/{row.pk}")
        assert (record["owner_id"], record["title"]) == (item.pk, "Rehearsal")
        assert record["fields"]["at"]["start"] == "2026-03-29T18:30:00"
        assert record["fields"]["at"]["start_utc"] == "2026-03-29T16:30:00+00:00"
        assert record["fields"]["at"]["repeat"] is None

    def test_rows_are_not_changed_or_deleted_by_themselves(self, api: Api, item: ContentItem) -> None:
        path = f"/content-items/{rows_of(item)[0].pk}"
        for answer in (api.patch(path, {"data": {"title": "Own"}}), api.patch(path, {}), api.delete(path)):
            assert answer.status_code == 422
            assert list(answer.json()["errors"]) == ["owner_id"]
        assert len(rows_of(item)) == 3

    def test_lists_hold_them_on_demand(self, api: Api, item: ContentItem) -> None:
        kind = item.type.slug
        assert [record["id"] for record in api.data("/content-items", type=kind)] == [item.pk]
        every = api.data("/content-items", type=kind, include_owned=1)
        assert {record["owner_id"] for record in every} == {None, item.pk}
        owned = api.get("/content-items", type=kind, include_owned=1, owner_id=item.pk).json()
        assert {record["id"] for record in owned["data"]} == {row.pk for row in rows_of(item)}
        assert owned["meta"]["total"] == 3
        assert api.data("/content-items", type=kind, search="Rehearsal", status="all")[0]["id"] == item.pk

    def test_a_cancelled_date_says_so(self, api: Api, item: ContentItem) -> None:
        row = rows_of(item)[0]
        reply(item, row)
        change(item, repeat=None)
        assert api.data(f"/content-items/{row.pk}")["fields"]["at"]["cancelled"] is True

    def test_upcoming_as_long_as_one_date_is(self, api: Api, api_on: None) -> None:
        first = (timezone.now() - dt.timedelta(days=8)).strftime("%Y-%m-%dT%H:%M")
        item = make_event(start=first, repeat={"frequency": "weekly", "count": 3})
        past = make_item(item.type, data={"at": when(first, repeat={"frequency": "daily", "count": 3})})
        found = {
            name: {r["id"] for r in api.data("/content-items", type=item.type.slug, when=name)} for name in ("upcoming", "past")
        }
        assert found == {"upcoming": {item.pk}, "past": {past.pk}}

    def test_the_rule_is_sent_and_answered(self, api: Api, item: ContentItem) -> None:
        sent = {"data": {"at": when(repeat={"frequency": "monthly", "monthly": "weekday", "count": 2})}}
        answer = api.patch(f"/content-items/{item.pk}", sent)
        assert answer.status_code == 200
        assert answer.json()["data"]["fields"]["at"]["repeat"]["monthly"] == "weekday"
        assert list(dates(item)) == ["2026-04-26T18:30:00"]

    def test_deleting_the_item_takes_them_along(self, api: Api, item: ContentItem) -> None:
        rows = rows_of(item)
        assert api.delete(f"/content-items/{item.pk}").status_code == 200
        assert api.get(f"/content-items/{rows[0].pk}").status_code == 404
