"""The page on which somebody claims a listing."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from commerce.directory.models import Claim, Listing
from commerce.directory.services.saving import save_listing
from commerce.directory.types.listings import MAX_CODE_ATTEMPTS
from commerce.directory.views.claims import CLAIM_CODES
from tests.refusals import is_refused_for

from .builders import mails, make_listing, make_owner, reloaded, submit

PATH = "/directory/reyes-ceramics/claim"
MASKED = "h•••@reyes.example"


@pytest.fixture
def member(owner: Any, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(owner)


@pytest.fixture
def listing(directory: None) -> Listing:
    return make_listing(email="hello@reyes.example")


def text(response: Any) -> str:
    return response.content.decode().replace("&#x27;", "'")


def send(client: Client) -> str:
    """Ask for a code, and return it."""
    assert client.post(PATH, {"action": "send"}).headers["Location"] == PATH
    found = re.search(r"\b\d{6}\b", mails("listing_claim_code")[-1].words.text)
    assert found
    return found[0]


def enter(client: Client, code: str) -> Any:
    return client.post(PATH, {"action": "enter", "code": code})


def other(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def test_guests_are_asked_to_sign_in(listing: Listing) -> None:
    page = Client().get(PATH)
    assert (page.status_code, page.headers["Cache-Control"]) == (200, "private, no-store")
    assert f"/accounts/login/?next={PATH}" in text(page)
    assert "reyes.example" not in text(page)
    assert Client().post(PATH, {"action": "send"}).status_code == 403
    assert not mails()


def test_a_listing_is_claimed_with_the_mailed_code(member: Client, owner: Any, listing: Listing) -> None:
    page = member.get(PATH)
    assert MASKED in text(page)
    assert "hello@reyes.example" not in text(page)
    code = send(member)
    assert mails()[-1].recipient == "hello@reyes.example"
    page = text(member.get(PATH))
    assert f"We've sent a code to {MASKED}. It works for 30 minutes." in page
    assert "Send another code" in page
    answer = enter(member, f" {code[:3]} {code[3:]}")
    assert answer.headers["Location"] == f"/accounts/listings/{listing.pk}/"
    assert reloaded(listing).owner == owner
    assert "The listing is yours now." in text(member.get(answer.headers["Location"]))
    # Sent twice.
    assert enter(member, code).headers["Location"] == PATH
    assert "This listing is yours." in text(member.get(PATH))


def test_wrong_codes_are_counted(member: Client, listing: Listing) -> None:
    code = send(member)
    for left in ("4 attempts", "3 attempts", "2 attempts", "1 attempt"):
        answer = enter(member, other(code))
        assert answer.status_code == 422
        assert f'<a href="#id_code">This code is wrong. You have {left} left.</a>' in text(answer)
    assert "This code is wrong. Ask for another code." in text(enter(member, other(code)))
    page = enter(member, code)
    assert page.status_code == 422
    assert "This code can't be used any more. Ask for another one." in text(page)
    assert f"The code that we sent to {MASKED} can't be used any more." in text(member.get(PATH))
    assert reloaded(listing).owner is None
    enter(member, send(member))
    assert reloaded(listing).owner is not None


def test_wrong_codes_from_one_network_are_limited(member: Client, listing: Listing) -> None:
    """Another code brings no more guesses."""
    for _ in range(CLAIM_CODES.per_network // MAX_CODE_ATTEMPTS):
        code = send(member)
        assert [enter(member, other(code)).status_code for _ in range(MAX_CODE_ATTEMPTS)] == [422] * MAX_CODE_ATTEMPTS
    code = send(member)
    answer = enter(member, code)
    assert is_refused_for(answer, CLAIM_CODES.window)
    assert "Too many requests" in text(answer)
    assert reloaded(listing).owner is None
    member.post(PATH, {"action": "enter", "code": code}, REMOTE_ADDR="192.0.2.7")
    assert reloaded(listing).owner is not None


@pytest.mark.both_databases
def test_an_expired_code(member: Client, listing: Listing) -> None:
    code = send(member)
    Claim.objects.update(code_expires_at=timezone.now() - timedelta(seconds=1))
    assert "can't be used any more" in text(member.get(PATH))
    assert enter(member, code).status_code == 422
    assert reloaded(listing).owner is None


def test_codes_are_limited(member: Client, listing: Listing) -> None:
    for _ in range(5):
        send(member)
    answer = member.post(PATH, {"action": "send"})
    assert is_refused_for(answer, 3600)
    assert "Too many requests" in text(answer)
    assert len(mails("listing_claim_code")) == 5


@pytest.mark.both_databases
def test_staff_are_asked(member: Client, owner: Any, listing: Listing) -> None:
    assert "I can't read that mailbox" in text(member.get(PATH))
    answer = member.post(PATH, {"action": "write", "message": "  "})
    assert (answer.status_code, 'href="#id_message">Enter a message.' in text(answer)) == (422, True)
    assert member.post(PATH, {"action": "write", "message": "I'm the potter."}).headers["Location"] == PATH
    claim = Claim.objects.get()
    assert (claim.user, claim.method, claim.message) == (owner, "manual", "I'm the potter.")
    page = text(member.get(PATH))
    assert "We've received your message." in page
    assert "<textarea" not in page


def test_messages_are_limited(member: Client, listing: Listing) -> None:
    answers = [member.post(PATH, {"action": "write", "message": f"Message {number}"}) for number in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]


def test_a_listing_without_an_address(member: Client) -> None:
    make_listing()
    page = text(member.get(PATH))
    assert "Write to us" in page
    assert "Send code" not in page
    answer = member.post(PATH, {"action": "send"})
    assert "no email address to which a code could be sent" in text(answer)


@pytest.mark.both_databases
def test_a_listing_with_an_owner(member: Client) -> None:
    make_listing(owner=make_owner("robin@example.com", "Robin"), email="hello@reyes.example")
    page = text(member.get(PATH))
    assert "This listing has an owner already." in page
    assert "Robin" not in page
    assert "robin@" not in page
    assert "<textarea" not in page
    for sent in ({"action": "send"}, {"action": "write", "message": "Mine!"}):
        assert "has an owner already" in text(member.post(PATH, sent, follow=True))
    assert not Claim.objects.exists()


def test_a_listing_that_got_an_owner_meanwhile(member: Client, listing: Listing) -> None:
    code = send(member)
    save_listing(listing=listing, values={"owner": make_owner("robin@example.com")})
    answer = enter(member, code)
    assert (answer.status_code, "has an owner already" in text(answer)) == (422, True)


def test_what_is_not_public_is_not_found(member: Client, owner: Any) -> None:
    make_listing("Archived", status="archived")
    submit(owner, "Pending")
    for slug in ("archived", "pending", "unknown"):
        assert member.get(f"/directory/{slug}/claim").status_code == 404


def test_hostile_posts(member: Client, listing: Listing) -> None:
    send(member)
    for sent in [
        {},
        {"action": "x\0"},
        {"action": "enter"},
        {"action": "enter", "code": "\0"},
        {"action": "enter", "code": "1" * 100},
        {"action": "write", "message": "\0"},
        {"action": "write", "message": "x" * 10_000},
    ]:
        assert member.post(PATH, sent).status_code in {200, 302, 422}
        assert (reloaded(listing).owner, Claim.objects.get().method) == (None, "email")


def test_forged_requests_are_refused(owner: Any, listing: Listing) -> None:
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(owner)
    assert forged.post(PATH, {"action": "send"}).status_code == 403
    assert not mails()
