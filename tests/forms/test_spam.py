"""Spam on the public form: quarantined, answered like any submission, and neither mailed nor emitted until released."""

import html
import re
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from cms_api.auth.services.visitors import LIMITS, Limits
from cms_api.forms.models import Form, Submission
from cms_api.forms.services import spam
from tests.builders import field, make_form
from tests.client import Api

from .conftest import mails
from .visitor import fill_in, hidden

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets", "business")]

GOOD = {"name": "Dana", "email": "dana@example.com", "message": "Hello"}
LINKS = "http://a.example https://b.example www.c.example <a href=x> "


def sent_after(client: Client, form: Form, seconds: float, **data: Any) -> Any:
    """A post so many seconds after the page was opened."""
    path = f"/forms/{form.slug}"
    page = client.get(path).content.decode()
    inputs = {name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)}
    later = time.time() + seconds
    with mock.patch("time.time", return_value=later):
        return client.post(path, {**inputs, **GOOD, **data})


TRIPS: dict[str, dict[str, Any]] = {
    "the trap": {"hp_url": "http://spam.example"},
    "no time": {"_stamp": None},
    "a time that was made up": {"_stamp": "1"},
    "a time with another signature": {"_stamp": "WzEsMTcwMDAwMDAwMC4wXQ:1abcde:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
    "links": {"message": LINKS},
}


@pytest.mark.both_databases
def test_it_works(client: Client, subscribed: Callable[[], list[Any]], api: Api) -> None:
    form = make_form()
    good, bad = fill_in(client, form, **GOOD), fill_in(client, form, **GOOD, hp_url="x")
    assert (bad.status_code, bad.headers["Location"], bad.content) == (good.status_code, good.headers["Location"], good.content)
    kept, quarantined = Submission.objects.order_by("id")
    assert (kept.is_spam, quarantined.is_spam) == (False, True)
    assert (kept.handled_at is None, quarantined.handled_at is None) == (False, True)
    assert len(subscribed()) == len(mails()) == 1
    assert [record["id"] for record in api.data(f"/forms/{form.pk}/submissions")] == [kept.pk]


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("trip", TRIPS.values(), ids=TRIPS)
def test_what_trips(client: Client, subscribed: Callable[[], list[Any]], trip: dict[str, Any], keeps: bool) -> None:
    form = make_form(store_submissions=keeps)
    answer = fill_in(client, form, **{**GOOD, **trip})
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/forms/{form.slug}?sent={form.slug}")
    found = Submission.objects.get()
    assert found.is_spam
    assert found.spam_reason
    assert (subscribed(), mails()) == ([], [])


def test_spam_with_mistakes_is_told_of_them(client: Client) -> None:
    refused = fill_in(client, make_form(), hp_url="x", name="Dana")
    assert refused.status_code == 422
    assert not Submission.objects.exists()


def test_a_page_from_yesterday_is_to_be_sent_again(client: Client) -> None:
    form = make_form()
    stale = sent_after(client, form, 86_500)
    page = stale.content.decode()
    assert stale.status_code == 422
    assert "submit them again" in page
    assert 'value="Dana"' in page
    assert not Submission.objects.exists()
    fresh = html.unescape(re.findall(r'name="_stamp" value="([^"]*)"', page)[0])
    later = time.time() + 86_600
    with mock.patch("time.time", return_value=later):
        client.post(f"/forms/{form.slug}", {**GOOD, "_stamp": fresh})
    assert not Submission.objects.get().is_spam


def test_the_time_of_another_form_is_none(client: Client) -> None:
    form, other = make_form(), make_form()
    fill_in(client, form, **GOOD, _stamp=hidden(client, f"/forms/{other.slug}")["_stamp"])
    assert Submission.objects.get().is_spam


@pytest.mark.parametrize(
    ("field_type", "value", "is_spam"),
    [
        ("textarea", LINKS, True),
        ("text", LINKS, True),
        ("textarea", "http://a.example http://b.example http://c.example", False),
        ("url", "https://www.example.com/http://www.www.www.", False),
    ],
)
def test_links(client: Client, field_type: str, value: str, is_spam: bool) -> None:
    fill_in(client, make_form(field("asked", field_type)), asked=value)
    assert Submission.objects.get().is_spam is is_spam


@pytest.mark.both_databases
def test_too_many_from_one_address(client: Client) -> None:
    form, other = make_form(), make_form()
    for _ in range(LIMITS.a_minute):
        fill_in(client, form, **GOOD)
    assert not Submission.objects.filter(is_spam=True).exists()
    assert fill_in(client, form, **GOOD).status_code == 302
    assert Submission.objects.get(is_spam=True).spam_reason == "Too many submissions from one address."
    fill_in(client, other, **GOOD)
    fill_in(Client(REMOTE_ADDR="192.0.2.7"), form, **GOOD)
    assert Submission.objects.filter(is_spam=True).count() == 1


def test_mistakes_do_not_count(client: Client) -> None:
    form = make_form()
    for _ in range(LIMITS.a_minute + 1):
        fill_in(client, form, name="Dana")
    fill_in(client, form, **GOOD)
    assert not Submission.objects.get().is_spam


def test_a_flood_is_not_even_quarantined(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spam, "LIMITS", Limits(flood=3))
    form = make_form()
    answers = [fill_in(client, form, **GOOD) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [302, 302, 302, 429, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Try again in an hour" in answers[-1].content.decode()
    assert Submission.objects.count() == 3


def test_an_address_is_not_kept_anywhere() -> None:
    fill_in(Client(REMOTE_ADDR="198.51.100.23"), make_form(), **GOOD)
    stored = str(Submission.objects.values().get())
    assert "198.51" not in stored
