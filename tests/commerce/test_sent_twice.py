"""Forms of visitors that are sent twice, as by a double click: carried out once, and both answers lead to the same page."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.test import Client

from cms_api.forms.services import answering
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Donation
from commerce.payments.models import Payment
from commerce.reviews.models import Review
from commerce.support.models import Ticket
from tests.client import together
from tests.features import switch_all_on
from tests.visitor import hidden

from .payments.sales import open_business

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

PERSON = {"name": "Dana Reyes", "email": "dana@example.com"}
FORMS: Mapping[str, tuple[str, Any, dict[str, str]]] = {
    "ticket": ("/support", Ticket, {**PERSON, "subject": "A broken mug", "message": "It has no handle."}),
    "review": (
        "/reviews/new",
        Review,
        {"rating": "5 stars: Excellent", "body": "Great.", "author_name": "Dana", "author_email": "dana@example.com"},
    ),
    "donation": (
        "/donations/give",
        Donation,
        {
            "amount": "5000",
            "frequency": "once",
            "tribute_type": "",
            "first_name": "Dana",
            "last_name": "Reyes",
            "email": "d@example.com",
        },
    ),
}


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    switch_all_on()
    open_business()


def sent(client: Client, name: str) -> tuple[str, dict[str, str]]:
    """The address of a form, and what a visitor sends there."""
    path, _, typed = FORMS[name]
    return path, {**hidden(client, path), **typed}


@pytest.mark.parametrize("name", FORMS)
def test_one_after_the_other(name: str, client: Client) -> None:
    path, form = sent(client, name)
    places = [client.post(path, form).headers["Location"] for _ in range(3)]
    assert (len(set(places)), FORMS[name][1].objects.count()) == (1, 1)
    # Another input, and the same one in a page that is opened anew, are other forms.
    client.post(path, {**form, "email": "kim@example.com", "author_email": "kim@example.com"})
    again = sent(client, name)
    client.post(*again)
    assert FORMS[name][1].objects.count() == 3


@pytest.mark.parametrize("name", FORMS)
def test_at_the_same_moment(name: str, client: Client) -> None:
    path, form = sent(client, name)
    answers = together(lambda _: Client().post(path, form), 6)
    assert {answer.status_code for answer in answers} == {302}
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert FORMS[name][1].objects.count() == 1
    assert (Payment.objects.count(), OutgoingMail.objects.filter(template="support_received").count()) in {(0, 1), (1, 0), (0, 0)}


def test_control_without_it_they_are_carried_out_each(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    carry_out: Callable[..., Any] = lambda request, carry_out, refuse: carry_out()  # noqa: E731
    monkeypatch.setattr(answering, "_once", carry_out)
    path, form = sent(client, "ticket")
    together(lambda _: Client().post(path, form), 6)
    assert Ticket.objects.count() == 6


def test_a_form_that_was_refused_can_be_sent_again(client: Client) -> None:
    path, form = sent(client, "ticket")
    assert [client.post(path, {**form, "email": "nobody"}).status_code for _ in range(2)] == [422, 422]
    assert client.post(path, form).status_code == 302


def test_a_form_whose_first_click_takes_long_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(answering.cache, "add", lambda *_: False)
    monkeypatch.setattr(answering.cache, "get", lambda *_: "")
    path, form = sent(client, "ticket")
    answer = client.post(path, form)
    assert (answer.status_code, "already sent" in answer.content.decode(), Ticket.objects.count()) == (422, True, 0)
