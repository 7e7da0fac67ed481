"""Posts of visitors: a time trap, a trap for robots, budgets for each address and purpose, links."""

import time
from unittest import mock

import pytest

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import LIMITS, Limits, Stale, Visit, judge, stamp
from cms_api.core.errors import TooManyAttempts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

ADDRESS = "198.51.100.23"
LINKS = "http://a.example https://b.example www.c.example <a href=x> "
TOO_MANY = "Too many submissions from one address."


def visit(purpose: str = "guests:1", *, address: str = ADDRESS, honeypot: str = "", after: float = 30) -> Visit:
    """A post so many seconds after its page was opened."""
    opened = time.time() - after
    with mock.patch("time.time", return_value=opened):
        return Visit(address, honeypot, stamp(purpose))


def judged(*texts: str, purpose: str = "guests:1", address: str = ADDRESS, limits: Limits = LIMITS) -> str:
    return judge(purpose=purpose, visit=visit(purpose, address=address), texts=texts, limits=limits)


def test_it_works() -> None:
    assert judge(purpose="guests:1", visit=visit()) == ""
    assert judge(purpose="guests:1", visit=visit(honeypot="x")) == "The honeypot field was filled in."
    assert judge(purpose="guests:1", visit=visit(honeypot=" \n")) == ""


@pytest.mark.parametrize(
    "sent",
    ["", "1", "WzEsMTcwMDAwMDAwMC4wXQ:1abcde:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a\0:b:c", "\ud800:x:y", ":" * 9000],
)
def test_a_time_that_was_made_up(sent: str) -> None:
    assert judge(purpose="guests:1", visit=Visit(ADDRESS, "", sent)) == "Not submitted from the form's page."


def test_the_time_of_another_purpose_is_none() -> None:
    assert judge(purpose="guests:1", visit=visit("guests:2")) == "Not submitted from the form's page."


@pytest.mark.parametrize(("seconds", "is_spam"), [(0, True), (1.8, True), (2.2, False), (3600, False), (86_000, False)])
def test_the_time_trap(seconds: float, is_spam: bool) -> None:
    assert judge(purpose="guests:1", visit=visit(after=seconds)) == ("Submitted within 2 seconds." if is_spam else "")


def test_a_page_from_yesterday_is_to_be_sent_again() -> None:
    with pytest.raises(Stale):
        judge(purpose="guests:1", visit=visit(after=86_500))


@pytest.mark.parametrize(
    ("texts", "is_spam"),
    [
        ((LINKS,), True),
        (("http://a.example", "HTTPS://b.example", "[url=c]", "www.d.example"), True),
        (("h\u034fttp://a.example ht\u2060tp\u3164://b.example", "w\u00adww.c.example", "[u\ufe0frl=d]"), True),
        (("http://a.example http://b.example", "http://c.example"), False),
        ((), False),
    ],
)
def test_links(texts: tuple[str, ...], is_spam: bool) -> None:
    assert judged(*texts) == ("Contains more than 3 links." if is_spam else "")


def test_too_many_from_one_address() -> None:
    assert {judged() for _ in range(LIMITS.a_minute)} == {""}
    assert judged() == TOO_MANY
    assert judged(purpose="guests:2") == judged(address="192.0.2.7") == ""


def test_an_hour_has_a_limit_of_its_own() -> None:
    few = Limits(a_minute=1000, an_hour=3)
    assert [judged(limits=few) for _ in range(4)] == ["", "", "", TOO_MANY]


def test_a_flood_is_not_taken_in_at_all() -> None:
    few = Limits(flood=3)
    assert [judged(limits=few) for _ in range(3)] == [""] * 3
    with pytest.raises(TooManyAttempts):
        judged(limits=few)


def test_a_caller_may_set_the_limits() -> None:
    strict = Limits(fastest=60, links=0)
    assert judged(limits=strict) == "Submitted within 60 seconds."
    assert judged("www.a.example", limits=Limits(links=0)) == "Contains more than 0 links."


def test_an_address_is_not_kept_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    real = visitors.spend
    monkeypatch.setattr(visitors, "spend", lambda key, *args, **more: (keys.append(key), real(key, *args, **more))[1])
    judged()
    assert len(keys) == 2
    assert "198.51" not in "".join(keys)


@pytest.mark.both_databases
def test_the_whole_network_of_an_ipv6_visitor_counts_as_one() -> None:
    few = Limits(a_minute=3)
    found = [judged(address=f"2001:db8:1:1::{number:x}", limits=few) for number in range(4)]
    assert found == ["", "", "", TOO_MANY]
    assert judged(address="2001:db8:1:2::1", limits=few) == ""


@pytest.mark.both_databases
def test_what_is_no_address_counts_too() -> None:
    assert [judged(address="unknown", limits=Limits(a_minute=1)) for _ in range(2)] == ["", TOO_MANY]
