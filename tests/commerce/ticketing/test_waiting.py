"""The waiting list: freed seats are offered in turn, and others cannot have them meanwhile."""

from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import Reservation, WaitingEntry
from commerce.ticketing.services.buying import place_order
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.sales import save_sales
from commerce.ticketing.services.waiting import join_waiting_list, leave_waiting_list

from .builders import adult, buyer, first_start, make_reservation, make_sales, paid_order, pay, type_of, wait
from .refusals import refused


def statuses() -> dict[str, str]:
    return dict(WaitingEntry.objects.values_list("email", "status"))


def sold_out(size: int = 1) -> tuple[Any, Any]:
    event = make_sales(adult(size=size))
    return event, paid_order(event, Adult=size)


def void(order: Any, number: int = 1) -> None:
    void_tickets(order=order, tickets=list(order.tickets.filter(status="valid").values_list("pk", flat=True)[:number]))


def test_it_works() -> None:
    event, order = sold_out()
    entry, later_entry = wait(event), wait(event, "sam@example.com")
    void(order)
    assert statuses() == {"noor@example.com": "offered", "sam@example.com": "waiting"}
    assert OutgoingMail.objects.get(template="ticket_offer").recipient == "noor@example.com"
    # Nobody else can have the seat.
    assert refused(make_reservation, event)
    entry.refresh_from_db()
    bought = pay(place_order(reservation=entry.reservation, values=buyer(email="noor@example.com")))
    assert (bought.status, statuses()["noor@example.com"]) == ("paid", "bought")
    void(bought)
    later_entry.refresh_from_db()
    assert later_entry.status == "offered"


def test_an_offer_ends_and_goes_to_the_next(later: Any) -> None:
    event, order = sold_out()
    wait(event)
    wait(event, "sam@example.com")
    void(order)
    later(hours=25)
    release_seats()
    assert statuses() == {"noor@example.com": "expired", "sam@example.com": "offered"}
    assert Reservation.objects.count() == 1


def test_an_offer_that_is_being_paid_does_not_end(later: Any) -> None:
    event, order = sold_out()
    entry = wait(event)
    void(order)
    entry.refresh_from_db()
    later(hours=23, minutes=58)
    placed = place_order(reservation=entry.reservation, values=buyer(email="noor@example.com"))
    later(minutes=10)
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}
    assert pay(placed).status == "paid"


def test_a_larger_party_is_passed_over_until_there_are_enough_seats() -> None:
    event, order = sold_out(3)
    wait(event, quantity=2)
    wait(event, "sam@example.com")
    void(order)
    assert statuses() == {"noor@example.com": "waiting", "sam@example.com": "offered"}
    void(order, 2)
    assert statuses() == {"noor@example.com": "offered", "sam@example.com": "offered"}


def test_visitors_come_after_those_who_wait(later: Any) -> None:
    """A seat that is only free because a cart has ended is theirs too, before the job has seen it."""
    event = make_sales(adult(size=1))
    make_reservation(event)
    wait(event)
    later(minutes=16)
    assert refused(make_reservation, event)
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}


def test_more_seats_are_offered() -> None:
    event, _ = sold_out()
    wait(event)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=2)])
    assert statuses() == {"noor@example.com": "offered"}


def test_somebody_leaves() -> None:
    event, order = sold_out()
    entry = wait(event)
    wait(event, "sam@example.com")
    void(order)
    assert leave_waiting_list(entry=entry)
    assert not leave_waiting_list(entry=entry)
    assert statuses() == {"noor@example.com": "left", "sam@example.com": "offered"}


def test_an_address_waits_once() -> None:
    event, order = sold_out()
    wait(event)
    assert wait(event, "Noor@Example.com", quantity=3).quantity == 3
    assert WaitingEntry.objects.count() == 1
    void(order, 1)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=4)])
    assert "email" in refused(wait, event) or "ticket_type" in refused(wait, event)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"email": "nobody"}, "email"),
        ({"name": " "}, "name"),
        ({"quantity": 0}, "quantity"),
        ({"quantity": "2"}, "quantity"),
        ({"quantity": 11}, "quantity"),
        ({"ticket_type": 0}, "ticket_type"),
        ({"start": "2031-01-01"}, "occurrence"),
    ],
)
def test_it_cannot_be_joined(changes: dict[str, Any], path: str) -> None:
    event, _ = sold_out()
    assert path in refused(wait, event, **changes)


def test_there_is_no_list_while_there_are_seats() -> None:
    assert "ticket_type" in refused(wait, make_sales(adult(size=1)))


def test_a_type_without_a_list() -> None:
    event = make_sales(adult(size=0, has_waiting_list=False))
    given = {"ticket_type": type_of(event).pk, "name": "Noor", "email": "noor@example.com", "quantity": 1}
    assert "ticket_type" in refused(join_waiting_list, event=event, start=first_start(event), **given)
