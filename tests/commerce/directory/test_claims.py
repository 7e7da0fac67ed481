"""Claims of listings: by a code sent to the listing's address, and by a message to staff."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import NotFound
from commerce.directory.models import Claim, Listing
from commerce.directory.selectors.ownership import pending_claims
from commerce.directory.services.claims import approve_claim, claim_by_email, claim_by_message, enter_code, reject_claim
from commerce.directory.services.saving import delete_listing, save_listing
from commerce.directory.types.listings import MAX_CODE_ATTEMPTS

from .builders import an_address, claimed, mails, make_listing, make_owner, reloaded, sent
from .conftest import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(directory: None) -> Listing:
    return make_listing(email="hello@example.com")


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def statuses() -> list[str]:
    return list(Claim.objects.order_by("pk").values_list("status", flat=True))


@pytest.mark.both_databases
def test_it_works(listing: Listing, owner: Any) -> None:
    claim, code = claimed(listing, owner)
    assert re.fullmatch(r"\d{6}", code)
    assert code not in claim.code_digest
    assert sent() == [("listing_claim_code", "hello@example.com")]
    # As people copy it.
    assert enter_code(claim=claim, code=f" {code[:3]} {code[3:]}\n")
    claim.refresh_from_db()
    assert (reloaded(listing).owner, claim.status, claim.code_digest) == (owner, "approved", "")
    assert sent()[1:] == [("listing_claim_decided", "noor@example.com")]
    with pytest.raises(NotFound):
        enter_code(claim=claim, code=code)


@pytest.mark.both_databases
def test_codes_from_any_keyboard(listing: Listing, owner: Any) -> None:
    """Full-width digits; dashes and spaces of every kind; invisible characters that were copied with it."""
    for number, pattern in enumerate(("{}{}", "{}\N{EN DASH}{}", "{}ー{}", "\N{IDEOGRAPHIC SPACE}{}\N{ZERO WIDTH SPACE}{}")):
        other = make_listing(f"Other {number}", email="hello@example.com")
        claim, code = claimed(other, owner)
        wide = "".join(chr(ord(digit) + 0xFEE0) for digit in code)
        assert not enter_code(claim=claim, code=pattern.format(wrong(code), ""))
        assert enter_code(claim=claim, code=pattern.format(wide[:3], code[3:]))
        assert reloaded(other).owner == owner


@pytest.mark.parametrize("code", ["", "abc", "1" * 10_000, "\0", "\ud800", "٠٠٠٠٠", "-1", "ー"])
def test_other_texts_are_wrong_codes(listing: Listing, owner: Any, code: str) -> None:
    claim, _ = claimed(listing, owner)
    assert not enter_code(claim=claim, code=code)
    claim.refresh_from_db()
    assert (claim.attempts, reloaded(listing).owner) == (1, None)


def test_wrong_codes_up_to_the_limit(listing: Listing, owner: Any) -> None:
    claim, code = claimed(listing, owner)
    for _ in range(MAX_CODE_ATTEMPTS):
        assert not enter_code(claim=claim, code=wrong(code))
    with pytest.raises(Invalid, match="any more"):
        enter_code(claim=claim, code=code)
    again, other = claimed(listing, owner)
    assert again == claim
    if other != code:
        assert not enter_code(claim=again, code=code)
    assert enter_code(claim=again, code=other)


def test_a_code_expires(listing: Listing, owner: Any, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    claim, code = claimed(listing, owner)
    clock("2026-03-01 12:30")
    with pytest.raises(Invalid) as refusal:
        enter_code(claim=claim, code=code)
    assert list(refusal.value.errors) == ["code"]
    clock("2026-03-01 12:29")
    assert enter_code(claim=claim, code=code)


def test_a_code_is_that_of_one_claim(listing: Listing, owner: Any) -> None:
    _, code = claimed(listing, owner)
    other, its_own = claimed(listing, make_owner("ruth@example.com"))
    if code != its_own:
        assert not enter_code(claim=other, code=code)
    elsewhere, its_own = claimed(make_listing("Kiln", email="kiln@example.com"), owner)
    if code != its_own:
        assert not enter_code(claim=elsewhere, code=code)


def test_somebody_else_became_the_owner(listing: Listing, owner: Any) -> None:
    claim, code = claimed(listing, owner)
    save_listing(listing=listing, values={"owner": make_owner("ruth@example.com")})
    for refused in (
        lambda: enter_code(claim=claim, code=code),
        lambda: approve_claim(claim=claim),
        lambda: claimed(listing, owner),
        lambda: claim_by_message(listing=listing, user=owner, message="It is mine."),
    ):
        with pytest.raises(Invalid, match="has an owner already"):
            refused()
    assert reloaded(listing).owner.email == "ruth@example.com"


@pytest.mark.both_databases
def test_the_first_to_enter_a_code_ends_the_other_claims(listing: Listing, owner: Any) -> None:
    one, code = claimed(listing, owner)
    other, its_own = claimed(listing, make_owner("ruth@example.com"))
    assert enter_code(claim=one, code=code)
    assert statuses() == ["approved", "rejected"]
    with pytest.raises(NotFound):
        enter_code(claim=other, code=its_own)


def test_a_listing_without_an_address_cannot_be_claimed_by_code(owner: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        claim_by_email(listing=make_listing(), user=owner, address=an_address())
    assert list(refusal.value.errors) == ["method"]
    assert (statuses(), sent()) == ([], [])


def test_an_account_gets_few_codes_an_hour_from_wherever(listing: Listing, owner: Any) -> None:
    """Each code can be guessed at a few times, so that codes are limited, too."""
    for _ in range(5):
        claimed(listing, owner)
    with pytest.raises(TooManyAttempts):
        claimed(listing, owner)
    assert claimed(listing, make_owner("ruth@example.com"))


def test_a_visitor_gets_few_codes_an_hour_by_whatever_account(listing: Listing) -> None:
    for number in range(5):
        claimed(listing, make_owner(f"ruth-{number}@example.com"), "192.0.2.7")
    with pytest.raises(TooManyAttempts):
        claimed(listing, make_owner("ruth@example.com"), "192.0.2.7")


@pytest.mark.both_databases
def test_by_message(listing: Listing, owner: Any, business: str) -> None:
    claim = claim_by_message(listing=listing, user=owner, message=" I am the baker.\nCall me. ")
    assert (claim.message, claim.method) == ("I am the baker.\nCall me.", "manual")
    assert sent() == [("listing_moderation", business)]
    assert list(pending_claims()) == [claim]
    with pytest.raises(NotFound):
        enter_code(claim=claim, code="")
    assert approve_claim(claim=claim)
    assert not approve_claim(claim=claim)
    assert not reject_claim(claim=claim)
    assert reloaded(listing).owner == owner
    assert "The listing is yours now." in mails("listing_claim_decided")[0].text


def test_a_claim_is_rejected(listing: Listing, owner: Any) -> None:
    claim = claim_by_message(listing=listing, user=owner, message="I am the baker.")
    assert reject_claim(claim=claim, reason="We called, and you are not.")
    assert not approve_claim(claim=claim)
    (mail,) = mails("listing_claim_decided")
    assert (mail.recipient, "you are not" in mail.text, reloaded(listing).owner) == ("noor@example.com", True, None)


@pytest.mark.parametrize("message", ["", "  ", None, 7, "x" * 5001, "a\0b", "a\ud800b"])
def test_messages_that_are_refused(listing: Listing, owner: Any, message: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        claim_by_message(listing=listing, user=owner, message=message)
    assert (list(refusal.value.errors), statuses()) == (["message"], [])


def test_one_way_replaces_the_other(listing: Listing, owner: Any) -> None:
    claim, code = claimed(listing, owner)
    assert not pending_claims()
    assert claim_by_message(listing=listing, user=owner, message="The address is old.") == claim
    with pytest.raises(NotFound):
        enter_code(claim=claim, code=code)
    assert list(pending_claims()) == [claim]
    again, code = claimed(listing, owner)
    assert (again, list(pending_claims())) == (claim, [])
    assert enter_code(claim=again, code=code)


def test_a_claim_of_a_listing_that_is_gone(listing: Listing, owner: Any) -> None:
    claim, code = claimed(listing, owner)
    delete_listing(listing=reloaded(listing))
    with pytest.raises(NotFound):
        enter_code(claim=claim, code=code)


def test_a_rejected_account_may_claim_again(listing: Listing, owner: Any) -> None:
    claim = claim_by_message(listing=listing, user=owner, message="I am the baker.")
    reject_claim(claim=claim)
    again, code = claimed(listing, owner)
    assert again != claim
    assert enter_code(claim=again, code=code)
    assert again.created_at <= timezone.now() < again.created_at + timedelta(minutes=5)


@pytest.mark.both_databases
def test_a_code_counts_for_the_address_that_it_was_sent_to(listing: Listing, owner: Any) -> None:
    """Staff have corrected it meanwhile: the former mailbox may be anybody's."""
    claim, code = claimed(listing, owner)
    save_listing(listing=reloaded(listing), values={"email": "right@example.com"})
    assert not enter_code(claim=claim, code=code)
    assert reloaded(listing).owner is None
    claim, code = claimed(reloaded(listing), owner)
    assert enter_code(claim=claim, code=code)
