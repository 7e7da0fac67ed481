"""Signing up on the site: a mail first, then the link in it, and the same answer for everybody."""

import time
from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest
from django.test import Client

from cms_api.auth.services import visitors
from cms_api.flags.services import switch_feature
from cms_api.mail.services.unconfirmed import MAILS_PER_DAY
from cms_api.webhooks.models import OutboxEvent
from commerce.marketing.models import MailingList, Subscriber
from commerce.marketing.services import unsubscribe
from commerce.marketing.types import Status
from tests.builders import make_endpoint
from tests.client import together
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .conftest import mails, make_list, make_subscriber, path_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

PATH = "/subscribe"
GOOD = {"email": "Dana@Example.com", "first_name": "Dana", "last_name": "Reyes"}
CONFIRM = "/subscribe/confirm/"


def sign_up(client: Client, values: Mapping[str, Any] = GOOD, **more: Any) -> Any:
    return client.post(PATH, {**hidden(client, PATH), **values, **more})


def later(seconds: float) -> Any:
    return mock.patch("time.time", return_value=time.time() + seconds)


def confirm_path() -> str:
    return path_in(mails("subscription_confirm")[-1], CONFIRM)


@pytest.fixture
def webhook_endpoint() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.both_databases
def test_it_works(client: Client, webhook_endpoint: None) -> None:
    make_list("Workshops")
    make_list("Concerts")
    answer = sign_up(client, lists=["concerts"])
    assert (answer.status_code, answer.headers["Location"]) == (303, "/subscribe?sent=1")
    assert "We've sent you an email." in client.get("/subscribe?sent=1").content.decode()
    subscriber = Subscriber.objects.get()
    assert (subscriber.email, subscriber.status, subscriber.tags) == ("dana@example.com", Status.PENDING, [])
    (mail,) = mails()
    assert (mail.recipient, mail.template) == ("dana@example.com", "subscription_confirm")
    assert "- Concerts" in mail.words.text
    assert "<li>Concerts</li>" in mail.html
    assert "Workshops" not in mail.text
    assert kinds() == []
    path = confirm_path()
    asked = client.get(path).content.decode()
    assert "Confirm subscription" in asked
    assert "Concerts" in asked
    assert Subscriber.objects.get().status == Status.PENDING
    assert "Your subscription is confirmed." in client.post(path).content.decode()
    subscriber.refresh_from_db()
    assert (subscriber.status, subscriber.tags, subscriber.name) == (Status.ACTIVE, ["concerts"], "Dana Reyes")
    assert kinds() == ["subscriber.created"]
    for again in (client.get(path), client.post(path)):
        assert again.status_code == 200
        assert "You&#x27;re subscribed" in again.content.decode()
    assert kinds() == ["subscriber.created"]


def test_a_link_confirms_no_list_that_has_got_the_number_of_another(client: Client) -> None:
    """As after a restore, when the list was made since the backup."""
    asked = make_list("Concerts")
    make_list("Workshops")
    sign_up(client, lists=["concerts", "workshops"])
    path = confirm_path()
    number = asked.pk
    asked.delete()
    MailingList.objects.create(pk=number, slug="politics", name="Politics", tag="politics")
    client.post(path)
    assert Subscriber.objects.get().tags == ["workshops"]


def test_nobody_learns_whether_an_address_is_known(client: Client) -> None:
    make_subscriber("active@example.com")
    make_subscriber("pending@example.com", status=Status.PENDING)
    make_subscriber("unsubscribed@example.com", status=Status.UNSUBSCRIBED)
    answers = set()
    for name in ("active", "pending", "unsubscribed", "new", "new"):
        answer = sign_up(client, email=f"{name}@example.com")
        answers.add((answer.status_code, answer.headers["Location"], answer.content))
    robot = sign_up(client, email="robot@example.com", hp_url="x")
    answers.add((robot.status_code, robot.headers["Location"], robot.content))
    assert len(answers) == 1
    sent = [(mail.recipient.partition("@")[0], mail.template) for mail in mails()]
    assert sent == [
        ("active", "subscription_exists"),
        ("pending", "subscription_confirm"),
        ("unsubscribed", "subscription_confirm"),
        ("new", "subscription_confirm"),
    ]


def test_a_robot_leaves_nothing(client: Client) -> None:
    sign_up(client, hp_url="https://example.com")
    client.post(PATH, GOOD)
    client.post(PATH, {**GOOD, "_stamp": visitors.stamp("marketing:subscribe")})
    client.post(PATH, {**hidden(client, PATH), **GOOD, "_stamp": visitors.stamp("forms:7")})
    sign_up(client, first_name="www.example.com")
    assert not Subscriber.objects.exists()
    assert not mails()


def test_one_address_gets_one_mail_in_a_while(client: Client) -> None:
    for _ in range(3):
        sign_up(client)
    assert len(mails()) == 1


def test_one_mailbox_gets_few_in_a_day() -> None:
    for number in range(MAILS_PER_DAY + 3):
        sign_up(Client(REMOTE_ADDR=f"10.0.{number}.1"), email=f"dana+{number}@example.com")
    assert len(mails()) == MAILS_PER_DAY


def test_one_network_cannot_write_to_everybody(client: Client) -> None:
    for number in range(8):
        sign_up(client, email=f"guest{number}@example.com")
    assert len(mails()) == 5


def test_a_flood_is_told_to_come_back(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from commerce.marketing.services import signup

    monkeypatch.setattr(signup, "LIMITS", visitors.Limits(flood=1))
    sign_up(client)
    flood = sign_up(client)
    assert is_refused_for(flood, 3600)


def test_an_old_page_is_sent_again(client: Client) -> None:
    inputs = hidden(client, PATH)
    with later(25 * 3600):
        stale = client.post(PATH, {**inputs, **GOOD})
    assert stale.status_code == 422
    assert 'value="Dana@Example.com"' in stale.content.decode()


def test_mistakes(client: Client) -> None:
    for wrong, sentence in (
        ({"email": " "}, "Enter your email address."),
        ({"email": "dana"}, "Enter a valid email address."),
        ({"email": "a@example.com\r\nBcc: b@example.com"}, "Enter a valid email address."),
        ({"email": "a\0@example.com"}, "Enter a valid email address."),
        ({"email": "a" * 260 + "@example.com"}, "Enter a valid email address."),
        ({"first_name": "d" * 101}, "“First name” must not be greater than 100 characters."),
        ({"last_name": "a\nb"}, "“Last name”"),
        ({"last_name": "a\0b"}, "“Last name”"),
    ):
        answer = sign_up(client, {**GOOD, **wrong})
        assert answer.status_code == 422, wrong
        assert sentence in answer.content.decode(), wrong
    assert not Subscriber.objects.exists()


@pytest.mark.both_databases
def test_lists_that_visitors_may_not_choose(client: Client) -> None:
    make_list("Staff", is_public=False)
    assert "Staff" not in client.get(PATH).content.decode()
    sign_up(client, lists=["staff", "nothing", "\0", "x" * 10_000])
    client.post(confirm_path())
    assert Subscriber.objects.get().tags == []


@pytest.mark.both_databases
def test_a_list_named_in_the_address_is_chosen(client: Client) -> None:
    make_list("Workshops")
    make_list("Concerts")
    shown = client.get("/subscribe?list=concerts&list=other").content.decode()
    assert 'value="concerts" checked' in shown
    assert shown.count("checked") == 1


def test_whoever_is_active_can_add_lists_by_the_mail(client: Client) -> None:
    workshops, concerts = make_list("Workshops"), make_list("Concerts")
    make_subscriber(tags=["Workshops", "vip"])
    sign_up(client, lists=[workshops.slug, concerts.slug])
    (mail,) = mails()
    assert mail.template == "subscription_exists"
    assert "- Concerts" in mail.words.text
    assert "- Workshops" not in mail.text
    assert Subscriber.objects.get().tags == ["Workshops", "vip"]
    path = path_in(mail, CONFIRM)
    assert "Confirm subscription" in client.get(path).content.decode()
    client.post(path)
    assert Subscriber.objects.get().tags == ["Workshops", "vip", "concerts"]
    assert Subscriber.objects.get().name == ""


def test_a_stranger_does_not_name_anybody(client: Client) -> None:
    """Only what the owner of the address confirms is kept, and only where nothing was known."""
    for status in Status:
        make_subscriber(f"{status}@example.com", status=status)
        sign_up(client, email=f"{status}@example.com", first_name="Rude")
    assert set(Subscriber.objects.values_list("first_name", flat=True)) == {""}
    assert not any("Rude" in mail.text + mail.subject for mail in mails())


def test_resubscribing_needs_a_new_confirmation(client: Client, webhook_endpoint: None) -> None:
    subscriber = make_subscriber(status=Status.UNSUBSCRIBED)
    sign_up(client)
    assert Subscriber.objects.get().status == Status.UNSUBSCRIBED
    client.post(confirm_path())
    subscriber.refresh_from_db()
    assert (subscriber.status, subscriber.unsubscribed_at) == (Status.ACTIVE, None)
    assert kinds() == ["subscriber.created"]


def test_an_older_link_brings_nobody_back(client: Client) -> None:
    sign_up(client)
    path = confirm_path()
    client.post(path)
    unsubscribe(subscriber=Subscriber.objects.get())
    for answer in (client.get(path), client.post(path)):
        assert answer.status_code == 410
        assert "You've unsubscribed since" in answer.content.decode()
    assert Subscriber.objects.get().status == Status.UNSUBSCRIBED


def test_a_link_runs_out(client: Client) -> None:
    sign_up(client)
    path = confirm_path()
    with later(31 * 24 * 3600):
        for answer in (client.get(path), client.post(path)):
            assert answer.status_code == 410
            assert "It expired after 30 days" in answer.content.decode()
    assert Subscriber.objects.get().status == Status.PENDING


def test_forged_links(client: Client) -> None:
    make_subscriber()
    pages = (CONFIRM, "/unsubscribe/", "/subscriptions/")
    tokens = ("x", "%00", "%F0%9F%98%80", "x" * 3000, ":::", ".")
    # Each page with a token that could be one, and one page with all of them.
    for beginning, token in (*((page, "a:b:c") for page in pages), *((CONFIRM, token) for token in tokens)):
        for answer in (client.get(beginning + token), client.post(beginning + token)):
            assert answer.status_code == 404, (beginning, token)
            assert "This link is no longer valid" in answer.content.decode()


def test_a_link_is_good_for_its_purpose_and_person_only(client: Client) -> None:
    from commerce.marketing.services.links import confirm_url, preferences_url, unsubscribe_url

    subscriber, other = make_subscriber(status=Status.PENDING), make_subscriber("kim@example.com")
    tokens = [url(subscriber).rpartition("/")[2] for url in (unsubscribe_url, preferences_url, confirm_url)]
    for beginning, own in (("/unsubscribe/", 0), ("/subscriptions/", 1), (CONFIRM, 2)):
        for number, token in enumerate(tokens):
            assert (client.get(beginning + token).status_code == 200) == (number == own)
    swapped = tokens[0].replace(subscriber.link_key.hex, other.link_key.hex)
    assert client.post(f"/unsubscribe/{swapped}").status_code == 404
    subscriber.delete()
    assert client.get(CONFIRM + tokens[2]).status_code == 404
    assert client.get("/unsubscribe/" + tokens[0]).status_code == 404


def test_posts_of_the_page_need_its_own_token() -> None:
    client = Client(enforce_csrf_checks=True)
    inputs = hidden(client, PATH)
    assert client.post(PATH, {**inputs, **GOOD, "csrfmiddlewaretoken": "x" * 64}).status_code == 403
    assert client.post(PATH, {**inputs, **GOOD}).status_code == 303


def test_pages_of_links_are_nobodys_to_keep(client: Client) -> None:
    sign_up(client)
    answer = client.get(confirm_path())
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert confirm_path() not in answer.content.decode().replace('href="?"', "")


@pytest.mark.django_db(transaction=True)
def test_twenty_confirm_at_once(webhook_endpoint: None) -> None:
    client = Client()
    sign_up(client)
    path = confirm_path()
    answers = together(lambda number: Client().post(path).status_code, 12)
    assert set(answers) == {200}
    assert kinds() == ["subscriber.created"]


@pytest.mark.django_db(transaction=True)
def test_twelve_sign_one_address_up_at_once() -> None:
    inputs = [(client, hidden(client, PATH)) for client in (Client(REMOTE_ADDR=f"10.0.{number}.1") for number in range(12))]
    answers = together(lambda number: inputs[number][0].post(PATH, {**inputs[number][1], **GOOD}).status_code, 12)
    assert set(answers) == {303}
    assert Subscriber.objects.count() == 1
    assert len(mails()) == 1
