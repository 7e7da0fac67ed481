"""Ways out, and choosing what to hear of: by links that need neither a password nor a cookie."""

from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Activity
from commerce.crm.services import upsert_contact
from commerce.marketing.models import Subscriber
from commerce.marketing.services.links import preferences_url, unsubscribe_url
from commerce.marketing.types import Status
from tests.builders import make_endpoint
from tests.client import together

from .conftest import make_list, make_subscriber

pytestmark = pytest.mark.django_db


def path_of(url: str, settings: Any) -> str:
    return url.removeprefix(settings.BASE_URL)


@pytest.fixture
def leave(settings: Any) -> str:
    """Where Dana, who hears of workshops, unsubscribes."""
    make_list("Workshops")
    make_list("Staff", is_public=False)
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    return path_of(unsubscribe_url(make_subscriber(tags=["Workshops", "staff"])), settings)


@pytest.fixture
def choose(leave: str, settings: Any) -> str:
    """Where she chooses."""
    return path_of(preferences_url(Subscriber.objects.get()), settings)


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def test_opening_the_link_changes_nothing(client: Client, leave: str) -> None:
    shown = client.get(leave).content.decode()
    assert "dana@example.com" in shown
    assert "Workshops" in shown
    assert "Staff" not in shown
    client.head(leave)
    assert Subscriber.objects.get().status == Status.ACTIVE


def test_the_button_unsubscribes_once(client: Client, leave: str) -> None:
    assert "You've been unsubscribed from all of our emails." in client.post(leave).content.decode()
    assert Subscriber.objects.get().status == Status.UNSUBSCRIBED
    for again in (client.post(leave), client.get(leave)):
        assert again.status_code == 200
        assert "You were already unsubscribed." in again.content.decode()
    assert kinds() == ["subscriber.created", "subscriber.unsubscribed"]


def test_one_click_of_a_mail_program(leave: str) -> None:
    """As RFC 8058 has it: a POST with one field, without cookie, token or referrer, that is not redirected."""
    program = Client(enforce_csrf_checks=True)
    answer = program.post(leave, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 200
    assert not answer.cookies
    assert Subscriber.objects.get().status == Status.UNSUBSCRIBED
    again = program.post(leave, {"List-Unsubscribe": "One-Click"})
    assert again.status_code == 200
    assert kinds().count("subscriber.unsubscribed") == 1


def test_the_timeline_tells_of_it(client: Client, leave: str) -> None:
    switch_feature(name="crm", on=True)
    upsert_contact(values={"email": "dana@example.com"}, source="test")
    client.post(leave)
    client.post(leave)
    assert list(Activity.objects.filter(kind="subscription").values_list("summary", flat=True)) == ["Unsubscribed"]


@pytest.mark.django_db(transaction=True)
def test_twelve_clicks_at_once(leave: str) -> None:
    assert set(together(lambda number: Client().post(leave).status_code, 12)) == {200}
    assert kinds().count("subscriber.unsubscribed") == 1


@pytest.mark.both_databases
def test_choosing_lists_and_names(client: Client, choose: str) -> None:
    make_list("Concerts")
    shown = client.get(choose).content.decode()
    assert 'value="workshops" checked' in shown
    assert "Staff" not in shown
    answer = client.post(choose, {"lists": ["concerts", "staff"], "first_name": " Dana ", "last_name": ""})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{choose}?saved=1")
    saved = client.get(answer.headers["Location"]).content.decode()
    assert "Your preferences have been saved." in saved
    assert 'value="Dana"' in saved
    assert 'value="concerts" checked' in saved
    subscriber = Subscriber.objects.get()
    assert (subscriber.tags, subscriber.status) == (["staff", "concerts"], Status.ACTIVE)
    client.post(choose, {})
    subscriber.refresh_from_db()
    assert (subscriber.tags, subscriber.name) == (["staff"], "")
    assert kinds() == ["subscriber.created"]


def test_saving_what_is_there_writes_nothing(client: Client, choose: str) -> None:
    before = Subscriber.objects.get().updated_at
    client.post(choose, {"lists": ["workshops"], "first_name": "", "last_name": ""})
    assert Subscriber.objects.get().updated_at == before


@pytest.mark.parametrize("name", ["d" * 101, "a\0b", "a\nb"])
def test_mistakes_in_names(client: Client, choose: str, name: str) -> None:
    answer = client.post(choose, {"first_name": name})
    assert answer.status_code == 422
    assert "“First name”" in answer.content.decode()
    assert Subscriber.objects.get().tags == ["Workshops", "staff"]


def test_there_is_nothing_to_choose_for_somebody_who_is_not_subscribed(client: Client, choose: str) -> None:
    Subscriber.objects.update(status=Status.UNSUBSCRIBED)
    assert "is not subscribed" in client.get(choose).content.decode()
    client.post(choose, {"lists": [], "first_name": "Kim"})
    assert Subscriber.objects.get().first_name == ""


def test_the_page_for_choosing_has_the_way_out(client: Client, choose: str, leave: str) -> None:
    assert f'action="{leave}"' in client.get(choose).content.decode()
