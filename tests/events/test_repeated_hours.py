"""Events in the hours that clocks show twice or skip: the instant is kept everywhere, and survives reading and saving."""

from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import publish_revision, save_draft, update_item
from tests.calendars.calendar_lines import parse
from tests.client import Api
from tests.events.builders import events_type

from .guests import make_reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

SECOND = "2027-10-31T01:30:00+00:00"
NIGHTLY = {"frequency": "daily", "count": 3}


def create(api: Api, start: str, repeat: Any = None) -> dict[str, Any]:
    events_type()
    value = {"start": start, "tz": "Europe/Paris", "repeat": repeat}
    body = {"type": "events", "status": "published", "data": {"title": "Night", "event_date": value}}
    answer = api.post("/content-items", body)
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()["data"]
    return found


@pytest.mark.parametrize("start", ["2027-10-31T01:30Z", "2027-10-31T02:30+01:00"])
@pytest.mark.parametrize("repeat", [None, NIGHTLY])
@pytest.mark.both_databases
def test_it_works(api: Api, client: Client, start: str, repeat: Any) -> None:
    record = create(api, start, repeat)
    value = record["fields"]["event_date"]
    assert (value["start"], value["start_utc"]) == ("2027-10-31T02:30:00", SECOND)
    item = ContentItem.objects.get(pk=record["id"])
    assert item.starts_at.isoformat() == SECOND
    assert [row.starts_at.isoformat()[:16] for row in item.owned.order_by("starts_at")] == (
        ["2027-11-01T01:30", "2027-11-02T01:30"] if repeat else []
    )
    event = parse(client.get(f"/calendar/events/{item.slug}.ics").content).all("VEVENT")[0]
    assert (event.parameters("DTSTART"), event.value("DTSTART")) == ("", "20271031T013000Z")
    assert '"startDate": "2027-10-31T02:30+01:00"' in client.get(f"/events/{item.slug}").content.decode()


def test_a_day_of_a_rule_has_the_first_hour(api: Api) -> None:
    record = create(api, "2027-10-30T02:30", NIGHTLY)
    starts = ContentItem.objects.filter(owner=record["id"]).order_by("starts_at").values_list("starts_at", flat=True)
    assert [start.isoformat()[:16] for start in starts] == ["2027-10-31T00:30", "2027-11-01T01:30"]


@pytest.mark.parametrize("start", ["2027-10-31T01:30Z", "2027-10-31T02:30", "2027-03-28T02:30"])
@pytest.mark.parametrize("repeat", [None, NIGHTLY])
@pytest.mark.both_databases
def test_an_answer_that_is_sent_back_changes_nothing(api: Api, start: str, repeat: Any) -> None:
    record = create(api, start, repeat)
    item = ContentItem.objects.get(pk=record["id"])
    before = [item.data["event_date"], *item.owned.order_by("pk").values_list("data", flat=True)]
    sent = {"data": {"event_date": record["fields"]["event_date"]}}
    answer = api.patch(f"/content-items/{item.pk}", sent).json()["data"]
    assert answer["fields"]["event_date"] == record["fields"]["event_date"]
    item.refresh_from_db()
    assert [item.data["event_date"], *item.owned.order_by("pk").values_list("data", flat=True)] == before


def test_drafts_and_the_form_keep_the_hour(api: Api, admin_client: Client) -> None:
    record = create(api, "2027-10-31T01:30Z")
    item = ContentItem.objects.get(pk=record["id"])
    item, revision = save_draft(item=item, values={"data": {"title": "Late"}})
    publish_revision(item=item, revision=revision)
    path = f"/admin/content/items/edit/{item.pk}/"
    form = admin_client.get(path).context["form"]
    field = form["data__event_date"].field.widget
    parts = field.split(form["data__event_date"].value())
    sent = {f"data__event_date-{part}": text for part, text in parts.items() if isinstance(text, str)}
    html = admin_client.get(path).content.decode()
    assert 'name="data__event_date-start_second" value="2027-10-31T02:30"' in html
    value = field.value_from_datadict(sent, {}, "data__event_date")
    update_item(item=item, values={"data": {"event_date": value}})
    item.refresh_from_db()
    assert item.starts_at.isoformat() == SECOND
    # Another time is what it says.
    edited = field.value_from_datadict({**sent, "data__event_date-start_time": "02:45"}, {}, "data__event_date")
    update_item(item=item, values={"data": {"event_date": edited}})
    item.refresh_from_db()
    assert item.starts_at.isoformat() == "2027-10-31T00:45:00+00:00"


def test_guests_are_told_of_the_other_hour(api: Api) -> None:
    record = create(api, "2027-10-31T02:30")
    item = ContentItem.objects.get(pk=record["id"])
    rsvp = make_reply(item)
    update_item(item=item, values={"data": {"event_date": {"start": "2027-10-31T01:30Z", "tz": "Europe/Paris"}}})
    rsvp.refresh_from_db()
    assert (rsvp.notice, rsvp.occurrence_start) == ("moved", "2027-10-31T02:30:00")
