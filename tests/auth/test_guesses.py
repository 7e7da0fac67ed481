"""The guard of secrets that can be guessed: wrong guesses run out by network and by what is guessed, right ones do not."""

import time
from typing import Any

import pytest

from cms_api.auth.services import guesses
from cms_api.auth.services.guesses import Secret, guess
from cms_api.core.errors import TooManyAttempts
from tests.client import together

pytestmark = pytest.mark.django_db

CODES = Secret("codes", per_network=3, per_target=5)


def try_one(*, right: bool = False, address: str = "192.0.2.1", target: str = "shop", secret: Secret = CODES) -> bool | None:
    """Return whether the guess was right; None if it was not looked at."""
    try:
        return guess(secret, address=address, target=target, check=lambda: right)
    except TooManyAttempts:
        return None


@pytest.mark.both_databases
def test_it_works() -> None:
    assert [try_one() for _ in range(5)] == [False, False, False, None, None]
    with pytest.raises(TooManyAttempts) as refusal:
        guess(CODES, address="192.0.2.1", target="shop", check=lambda: True)
    assert 0 < int(refusal.value.headers["Retry-After"]) <= CODES.window


@pytest.mark.both_databases
def test_right_guesses_do_not_count() -> None:
    assert [try_one(right=True) for _ in range(20)] == [True] * 20
    assert [try_one(), try_one(right=True), try_one(), try_one(right=True), try_one(), try_one()] == [
        *(False, True, False, True, False),
        None,
    ]


@pytest.mark.both_databases
def test_what_a_network_guesses_does_not_lock_another_out() -> None:
    for _ in range(5):
        try_one()
    assert try_one(right=True, address="192.0.2.2") is True
    assert try_one(right=True, target="event:7") is None
    assert try_one(right=True, secret=Secret("passwords")) is True


def test_ipv6_is_limited_by_the_network_of_a_visitor() -> None:
    for number in range(4):
        found = try_one(address=f"2001:db8::{number}")
    assert found is None
    assert try_one(address="2001:db8:0:1::1") is False


@pytest.mark.both_databases
def test_guesses_from_many_networks_leave_one_to_each() -> None:
    for number in range(5):
        assert try_one(address=f"198.51.100.{number}") is False
    assert try_one(address="192.0.2.1", right=True) is True
    assert try_one(address="192.0.2.1") is False
    assert try_one(address="192.0.2.1", right=True) is None
    assert try_one(address="192.0.2.1", target="event:7") is False


@pytest.mark.both_databases
def test_a_guess_that_raises_counts() -> None:
    def fail() -> bool:
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            guess(CODES, address="192.0.2.1", check=fail)
    with pytest.raises(TooManyAttempts):
        guess(CODES, address="192.0.2.1", check=fail)


@pytest.mark.django_db(transaction=True)
class TestRace:
    def race(self) -> int:
        def compare() -> bool:
            time.sleep(0.02)
            return False

        def work(_: int) -> bool:
            try:
                return guess(CODES, address="192.0.2.1", check=compare) is False
            except TooManyAttempts:
                return False

        return sum(together(work, 12))

    def test_it_works(self) -> None:
        assert self.race() == 3

    def test_counted_after_the_comparison_there_would_be_more(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The positive control."""
        used: list[int] = []

        def late(secret: Secret, *, check: Any, **others: Any) -> bool:
            if len(used) >= secret.per_network:
                raise TooManyAttempts
            found = check()
            used.append(1)
            return bool(found)

        monkeypatch.setattr(guesses, "guess", late)
        monkeypatch.setitem(globals(), "guess", late)
        assert self.race() > 3
