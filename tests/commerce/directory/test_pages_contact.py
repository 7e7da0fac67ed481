"""The form with which visitors write to a listing."""

import time
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from cms_api.auth.services import visitors
from commerce.directory.services.contacting import LIMITS, MESSAGE_WITH_ADDRESS, PURPOSE
from commerce.directory.services.saving import save_listing
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import mails, make_listing, make_owner, visit

pytestmark = pytest.mark.django_db

DAY = 24 * 3600
PATH = "/directory/reyes-ceramics/contact"
WRITTEN = {"name": "Ruth Adeyemi", "email": "ruth@example.com", "message": "Do you have\nthe blue bowls?"}


def post(client: Client | None = None, *, opened: dict[str, str] | None = None, **changes: Any) -> Any:
    client = client or Client()
    return client.post(PATH, {**(opened or hidden(client, PATH)), **WRITTEN, **changes})


@pytest.mark.both_databases
def test_it_works() -> None:
    make_listing(email="hello@example.com")
    page = Client().get(PATH)
    assert "hello@example.com" not in page.content.decode()
    assert page.headers["Cache-Control"] == "private, no-store"
    answer = post()
    assert (answer.status_code, answer.url) == (302, f"{PATH}?sent=1")
    (mail,) = mails("listing_message")
    assert (mail.recipient, mail.reply_to) == ("hello@example.com", "ruth@example.com")
    assert "the blue bowls?" in mail.text
    thanks = Client().get(answer.url).content.decode()
    assert "has been sent" in thanks
    assert "hello@example.com" not in thanks


def test_robots_get_the_same_thanks() -> None:
    make_listing(email="hello@example.com")
    assert post(hp_url="https://spam.example").url == f"{PATH}?sent=1"
    assert not mails("listing_message")


@pytest.mark.both_databases
def test_links_go_to_those_alone_whose_address_it_is() -> None:
    listing = make_listing(email="hello@example.com", owner=make_owner("eve@example.com"))
    message = "Do you have these? https://evil.example/bowls"
    answer = post(message=message)
    assert answer.status_code == 422
    assert MESSAGE_WITH_ADDRESS in answer.content.decode()
    assert not mails("listing_message")
    # Its address is one that the account has confirmed, or that staff have entered.
    for number, owner in enumerate((make_owner("hello@example.com"), None)):
        save_listing(listing=listing, values={"owner": owner})
        assert post(message=message).status_code == 302
        assert message in mails("listing_message")[number].text


@pytest.mark.parametrize("name", ["name", "email", "message"])
@pytest.mark.parametrize("value", ["", "a\0b", "x" * 6000, "\u202e\x07"])
def test_what_is_wrong_is_said_at_the_field(name: str, value: str) -> None:
    make_listing(email="hello@example.com")
    answer = post(**{name: value})
    if answer.status_code == 302:
        # Odd, and harmless in a message.
        assert (name, value) == ("message", "\u202e\x07")
        return
    assert answer.status_code == 422
    assert f'id="id_{name}-error"' in answer.content.decode()
    assert not mails("listing_message")


def test_a_form_that_was_open_for_days_asks_to_send_again() -> None:
    make_listing(email="hello@example.com")
    with mock.patch("time.time", return_value=time.time() - 2 * DAY):
        opened = {"_stamp": visitors.stamp(PURPOSE)}
    answer = post(opened=opened)
    assert answer.status_code == 422
    assert "the blue bowls?" in answer.content.decode()
    assert not mails("listing_message")


def test_a_flood_is_refused() -> None:
    make_listing(email="hello@example.com")
    for _ in range(LIMITS.flood):
        visitors.judge(purpose=PURPOSE, visit=visit(address="127.0.0.1"), limits=LIMITS)
    answer = post()
    assert is_refused_for(answer, 3600)
    assert not mails("listing_message")


def test_listings_without_an_address_and_those_that_are_offline() -> None:
    listing = make_listing()
    assert Client().get(PATH).status_code == 404
    save_listing(listing=listing, values={"email": "hello@example.com"})
    opened = hidden(Client(), PATH)
    save_listing(listing=listing, values={"status": "archived"})
    assert post(opened=opened).status_code == 404
    assert Client().get(f"{PATH}?sent=1").status_code == 404
