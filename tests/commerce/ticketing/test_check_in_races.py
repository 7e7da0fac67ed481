"""Many doors at once: each ticket has one first check-in, and no request fails."""

from collections import Counter
from typing import Any

import pytest

from commerce.ticketing.models import AttendeeTicket, Scan
from commerce.ticketing.services import checking_in
from tests.builders import make_token
from tests.client import Api, together

from .builders import adult, make_sales, paid_order

pytestmark = pytest.mark.django_db(transaction=True)


def race(tickets: int, requests: int, threads: int) -> Counter[Any]:
    """Check each ticket in by so many requests over the API; return how often which answer came."""
    event = make_sales(adult(max_per_order=100))
    codes: list[str] = []
    while len(codes) < tickets:
        order = paid_order(event, Adult=min(100, tickets - len(codes)))
        codes += order.tickets.values_list("code", flat=True)
    # Each device has a token of its own.
    tokens = [make_token("ticketing:write") for _ in range(threads)]

    def door(number: int) -> Counter[Any]:
        api, found = Api(tokens[number]), Counter[Any]()
        for turn in range(tickets * requests // threads):
            response = api.post(f"/ticketing/tickets/{codes[turn % tickets]}/check-in")
            found[response.status_code, response.json()["meta"]["already_checked_in"]] += 1
        return found

    return sum(together(door, threads), Counter())


@pytest.fixture(autouse=True)
def no_rate_limit(api_on: None, settings: Any) -> None:
    settings.API_RATE_PER_MINUTE = 10**6


def test_it_works() -> None:
    found = race(tickets=8, requests=10, threads=10)
    assert found == {(200, False): 8, (200, True): 72}
    assert AttendeeTicket.objects.filter(status="checked_in").count() == 8
    assert Scan.objects.filter(result="admitted").count() == 8


@pytest.mark.long
def test_200_tickets_by_50_requests() -> None:
    assert race(tickets=200, requests=50, threads=20) == {(200, False): 200, (200, True): 9800}


def test_control_a_check_before_the_write_admits_several(monkeypatch: pytest.MonkeyPatch) -> None:
    def claim(ticket: AttendeeTicket, user: Any = None) -> bool:
        is_valid = AttendeeTicket.objects.get(pk=ticket.pk).status == "valid"
        checked_in.append(ticket.pk)
        return is_valid

    checked_in: list[int] = []
    monkeypatch.setattr(checking_in, "claim", claim)
    ticket = paid_order(make_sales()).tickets.get()
    answers = together(lambda number: checking_in.check_in(ticket=ticket), 10)
    assert len([was_before for _, was_before in answers if not was_before]) > 1
