"""Members send events in; each becomes a draft that says who sent it to those alone who may write."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from events.services.builtin import create
from tests import people
from tests.builders import make_token
from tests.client import Api

pytestmark = pytest.mark.django_db

EVENT = {
    "title": "Open studio",
    "start": "2027-05-01T18:30",
    "end": "2027-05-01T21:00",
    "venue": "The loft",
    "cost": "free",
    "description": "Bring <b>clay</b>.\nAnd an apron.",
}


@pytest.fixture(autouse=True)
def events(db: None, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"
    create()
    switch_feature(name="events", on=True)


@pytest.fixture
def member(sign_in: Any) -> Client:
    return sign_in(people.charlie())


def send(client: Client, **changes: Any) -> Any:
    return client.post("/events/submit", {**EVENT, **changes})


@pytest.mark.both_databases
def test_it_works(member: Client) -> None:
    assert "Submit event" in member.get("/events/submit").content.decode()
    answer = send(member)
    assert answer.status_code == 302
    assert "Thank you" in member.get(answer["Location"]).content.decode()
    item = ContentItem.objects.get()
    assert (item.title, item.status) == ("Open studio", "draft")
    assert item.data["event_date"]["start"] == "2027-05-01T18:30:00"
    assert item.data["details"] == "<p>Bring &lt;b&gt;clay&lt;/b&gt;.<br>And an apron.</p>"
    assert item.data["_submission"].keys() == {"member_id", "name", "email", "submitted_at"}
    mail = OutgoingMail.objects.get()
    assert (mail.to, mail.subject) == ("office@example.org", "New event submission: Open studio")
    assert f"/admin/content/items/edit/{item.pk}/" in mail.text


def test_whole_days(member: Client) -> None:
    assert send(member, all_day="1").status_code == 302
    value = ContentItem.objects.get().data["event_date"]
    assert (value["start"], value["end"], value["all_day"]) == ("2027-05-01", "2027-05-01", True)


def test_guests_are_asked_to_sign_in(client: Client) -> None:
    assert "/accounts/login/?next=/events/submit" in client.get("/events/submit").content.decode()
    assert send(client).status_code == 403
    assert not ContentItem.objects.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": " "}, "Enter a title."),
        ({"title": "x" * 256}, "at most 255"),
        ({"title": "a\0b"}, "Null characters"),
        ({"start": ""}, "Enter when the event starts."),
        ({"start": "tomorrow"}, "must be a valid date and time"),
        ({"end": "2027-05-01T18:00"}, "must be a date after or equal to start"),
        ({"description": "x" * 5001}, "at most 5000"),
    ],
)
def test_refusals(member: Client, changes: dict[str, str], said: str) -> None:
    answer = send(member, **changes)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not ContentItem.objects.exists()
    assert not OutgoingMail.objects.exists()


@pytest.mark.both_databases
def test_so_many_a_day(member: Client, sign_in: Any) -> None:
    set_setting(key="events.submissions_per_day", value=2)
    assert [send(member).status_code for _ in range(3)] == [302, 302, 429]
    assert ContentItem.objects.count() == 2
    other = get_user_model().objects.create_user("other", "other@example.org")
    assert send(sign_in(other)).status_code == 302


def test_only_writers_see_who_sent_it(member: Client) -> None:
    send(member)
    switch_feature(name="api", on=True)
    item = ContentItem.objects.get()
    reader, writer = Api(make_token("content:read")), Api(make_token("content:read", "content:write"))
    path = f"/content-items/{item.pk}"
    assert "_submission" not in reader.get(path).json()["data"]["fields"]
    assert writer.get(path).json()["data"]["fields"]["_submission"]["email"] == "charlie@example.com"
    for api, seen in ((reader, False), (writer, True)):
        (listed,) = api.get("/content-items", type="events", status="draft").json()["data"]
        assert ("_submission" in listed["fields"]) is seen
        (sparse,) = api.get("/content-items", type="events", status="draft", fields="fields").json()["data"]
        assert sparse["fields"] == listed["fields"]
    update_item(item=item, values={"status": "published", "data": {"venue": "Hall"}})
    assert "_submission" not in reader.get(path).json()["data"]["fields"]
    assert "charlie" not in member.get("/events/open-studio").content.decode().lower()


def test_nobody_slips_it_in_over_the_api() -> None:
    switch_feature(name="api", on=True)
    api = Api(make_token("content:read", "content:write"))
    sent = {"type": "events", "data": {"title": "Mine", "_submission": {"member_id": 1}}}
    assert "_submission" not in api.post("/content-items", sent).json()["data"]["fields"]
