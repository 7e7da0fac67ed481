"""Tickets on the admin's home: the next dates, today's orders, and the first step."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from commerce.ticketing.admin.cards import next_dates, orders_today, sell_tickets
from commerce.ticketing.models import TicketOrder
from tests import people

from .builders import WEEKLY, adult, make_event, make_order, make_sales, paid_order, starts


def sold(person: Any) -> list[tuple[str, str]]:
    """The titles of the next dates, and the part of their texts about tickets."""
    return [(card.title, card.text.split(" \N{MIDDLE DOT} ")[1]) for card in next_dates(people.request_by(person))]


def test_it_works() -> None:
    hall = adult(quota="Hall"), adult(name="Student", quota="Hall", size=20), adult(name="Box", size=4)
    event = make_sales(*hall, adult(name="Old", size=9, is_offered=False), quotas=[{"name": "Hall", "size": 50}], title="Quartet")
    make_event(title="Without tickets")
    paid_order(event, Adult=2, Box=1)
    make_order(event)
    make_sales(adult(), title="Open air")
    assert sorted(sold(people.alice())) == [("Open air", "0 tickets sold"), ("Quartet", "3 of 54 tickets sold")]


@pytest.mark.both_databases
def test_each_date_of_an_event_is_counted() -> None:
    event = make_event(repeat=WEEKLY, title="Choir")
    first, second = starts(event)[:2]
    make_sales(adult(size=30), adult(name="Gala", size=5, start=second), event=event)
    paid_order(event, second, Gala=2)
    paid_order(event, first)
    assert sold(people.alice())[:3] == [
        ("Choir", "1 of 30 tickets sold"),
        ("Choir", "2 of 35 tickets sold"),
        ("Choir", "0 of 30 tickets sold"),
    ]


@pytest.mark.both_databases
def test_they_take_two_statements_at_most() -> None:
    request = people.request_by(people.alice())
    for _ in range(3):
        paid_order(make_sales())
    list(next_dates(request))
    for card, most in ((lambda: list(next_dates(request)), 2), (lambda: orders_today(request), 1)):
        with CaptureQueriesContext(connection) as statements:
            card()
        assert len(statements) <= most


@pytest.mark.both_databases
def test_orders_of_today() -> None:
    event = make_sales()
    paid_order(event, Adult=2)
    make_order(event)
    TicketOrder.objects.filter(pk=paid_order(event).pk).update(created_at="2020-01-01T00:00:00Z")
    card = orders_today(people.request_by(people.alice()))
    assert card.text == "$64.00 for 2 tickets"


def test_the_first_step_is_ticked() -> None:
    request = people.request_by(people.alice())
    step = sell_tickets(request)
    assert not step.done
    make_sales()
    step = sell_tickets(request)
    assert step.done
