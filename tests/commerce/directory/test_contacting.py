"""Messages of visitors: to the listing's own address only, limited, and without spam."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Stale, Visit
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import NotFound
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import OVER_BUDGET, send_due
from cms_api.mail.services.unconfirmed import MAILBOX_MAILS_PER_HOUR
from commerce.directory.models import Listing
from commerce.directory.services.contacting import send_message
from commerce.directory.services.saving import delete_listing

from .builders import mails, make_listing, make_owner, reloaded, visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(directory: None) -> Listing:
    return make_listing(email="hello@example.com")


def written(**changes: Any) -> dict[str, Any]:
    return {"name": "Ruth Adeyemi", "email": "ruth@example.com", "message": "Do you have bowls?", **changes}


@pytest.mark.both_databases
def test_it_works(listing: Listing) -> None:
    assert send_message(listing=listing, values=written(message=" Do you have\nbowls? "), visit=visit())
    (mail,) = mails()
    assert (mail.template, mail.recipient, mail.reply_to) == ("listing_message", "hello@example.com", "ruth@example.com")
    assert mail.subject == "A message about Reyes Ceramics"
    assert "Ruth Adeyemi" in mail.text
    assert "Do you have\nbowls?" in mail.text
    assert "ruth@example.com" not in mail.sender


@pytest.mark.both_databases
def test_the_recipient_is_the_listings(listing: Listing) -> None:
    others = {"to": "all@example.com", "recipient": "all@example.com", "bcc": "all@example.com", "listing": "7"}
    assert send_message(listing=listing, values=written(**others), visit=visit())
    listing.email = "all@example.com"
    assert send_message(listing=listing, values=written(), visit=visit())
    assert {mail.recipient for mail in mails()} == {"hello@example.com"}
    assert "all@example.com" not in str(
        list(OutgoingMail.objects.values("text", "html", "headers", "reply_to", "sender", "subject"))
    )


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"name": ""}, ["name"]),
        ({"name": "x" * 201}, ["name"]),
        ({"name": "Ru\0th"}, ["name"]),
        ({"email": ""}, ["email"]),
        ({"email": "ruth"}, ["email"]),
        ({"email": "ruth@example.com\r\nBcc: all@example.com"}, ["email"]),
        ({"email": "ruth@example.com, all@example.com"}, ["email"]),
        ({"email": "Ruth <ruth@example.com>"}, ["email"]),
        ({"email": ["ruth@example.com"]}, ["email"]),
        ({"message": " "}, ["message"]),
        ({"message": "x" * 5001}, ["message"]),
        ({"message": "a\0b"}, ["message"]),
        ({"name": "\ud800", "email": "\ud800@example.com", "message": "a\ud800b"}, ["name", "email", "message"]),
        ({"name": None, "email": None, "message": None}, ["name", "email", "message"]),
    ],
)
def test_messages_that_are_refused(listing: Listing, changes: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(Invalid) as refusal:
        send_message(listing=listing, values=written(**changes), visit=visit())
    assert (list(refusal.value.errors), mails()) == (paths, [])


def test_nothing_gets_into_a_header(listing: Listing) -> None:
    name, message = "Ruth\r\nBcc: all@example.com", "Hello\r\n\r\nBcc: all@example.com\r\n<b>{{ url }}</b>"
    assert send_message(listing=listing, values=written(name=name, message=message), visit=visit())
    (mail,) = mails()
    assert (mail.headers, mail.recipient, mail.reply_to) == ({}, "hello@example.com", "ruth@example.com")
    assert not any(character in mail.subject + mail.sender for character in "\r\n")
    assert "{{ url }}" in mail.text
    assert "<b>" not in mail.html


@pytest.mark.parametrize(
    "of",
    [
        lambda: visit("https://spam.example.com"),
        lambda: visit(seconds=0),
        lambda: Visit("192.0.2.9", "", ""),
        lambda: Visit("192.0.2.9", "", "forged"),
        lambda: Visit("192.0.2.9", "", visitors.stamp("reviews")),
    ],
    ids=["honeypot", "too fast", "without a stamp", "forged stamp", "stamp of another form"],
)
def test_spam_is_dropped(listing: Listing, of: Callable[[], Visit]) -> None:
    assert not send_message(listing=listing, values=written(), visit=of())
    assert mails() == []


def test_many_links_are_spam(listing: Listing) -> None:
    assert not send_message(listing=listing, values=written(message="https://a.example " * 4), visit=visit())
    assert mails() == []


def test_a_page_that_was_opened_long_ago(listing: Listing) -> None:
    with pytest.raises(Stale):
        send_message(listing=listing, values=written(), visit=visit(seconds=25 * 3600))


def test_the_limit_is_one_for_all_listings(listing: Listing) -> None:
    others = [make_listing(f"Kiln {number}", email=f"kiln-{number}@example.com") for number in range(4)]
    found = [send_message(listing=each, values=written(), visit=visit(address="192.0.2.7")) for each in (listing, *others)]
    assert found == [True] * 3 + [False] * 2
    assert len(mails()) == 3
    for _ in range(95):
        send_message(listing=listing, values=written(), visit=visit(address="192.0.2.7"))
    with pytest.raises(TooManyAttempts):
        send_message(listing=listing, values=written(), visit=visit(address="192.0.2.7"))
    assert send_message(listing=listing, values=written(), visit=visit(address="192.0.2.8"))


@pytest.mark.parametrize(
    "values",
    [
        {"email": ""},
        {"status": "pending"},
        {"status": "archived"},
        {"expires_at": timezone.now() - timedelta(seconds=1)},
    ],
)
def test_listings_that_take_no_messages(values: dict[str, Any]) -> None:
    listing = make_listing(**{"email": "hello@example.com", **values})
    with pytest.raises(NotFound):
        send_message(listing=listing, values=written(), visit=visit())


def test_a_listing_that_is_gone(listing: Listing) -> None:
    delete_listing(listing=reloaded(listing))
    with pytest.raises(NotFound):
        send_message(listing=listing, values=written(), visit=visit())
    assert mails() == []


def from_networks(listing: Listing, number: int) -> None:
    for each in range(number):
        assert send_message(listing=listing, values=written(), visit=visit(address=f"192.0.2.{each}"))
    send_due()


@pytest.mark.parametrize("has_owner", [True, False])
def test_an_address_that_nobody_has_confirmed_has_a_budget(directory: None, has_owner: bool) -> None:
    """Owners can enter anybody's address, and staff import listings of people who never agreed to messages."""
    listing = make_listing(email="stranger@example.net", owner=make_owner() if has_owner else None)
    from_networks(listing, MAILBOX_MAILS_PER_HOUR + 2)
    assert [mail.state for mail in mails()].count("sent") == MAILBOX_MAILS_PER_HOUR
    assert {mail.error for mail in mails() if mail.state == "waiting"} == {OVER_BUDGET}


def test_an_owner_with_this_confirmed_address_gets_all_messages(directory: None) -> None:
    owner = make_owner()
    from_networks(make_listing(email=owner.email, owner=owner), MAILBOX_MAILS_PER_HOUR + 2)
    assert {mail.state for mail in mails()} == {"sent"}
