"""Many buyers at once while people wait, return tickets, and take up offers: no seat is sold twice, and none is lost."""

from collections import Counter
from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket, Reservation, WaitingEntry
from commerce.ticketing.selectors.events import own_date
from commerce.ticketing.selectors.offers import can_serve, free_seats
from commerce.ticketing.services import buying, seats
from commerce.ticketing.services.buying import place_order
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from tests.unprotected import meet_before, without_transactions

from .builders import adult, buyer, first_start, make_sales, paid_order, type_of, wait
from .test_races import BUYERS, SEATS, outcomes

pytestmark = pytest.mark.django_db(transaction=True)


def sold_out_with_a_line(size: int) -> tuple[Any, Any]:
    """An event of which all seats are sold to one buyer, and parties of one to five who wait."""
    event = make_sales(adult(size=size, max_per_order=size))
    order = paid_order(event, Adult=size)
    for number in range(size):
        wait(event, f"guest{number}@example.com", quantity=1 + number % 5)
    return event, order


def taken() -> int:
    reserved = sum(Reservation.objects.values_list("seats__quantity", flat=True))
    return reserved + AttendeeTicket.objects.filter(status="valid").count()


def test_it_works() -> None:
    event, order = sold_out_with_a_line(SEATS)
    start, pk = first_start(event), type_of(event).pk
    tickets = list(order.tickets.order_by("pk").values_list("pk", flat=True))

    def act(number: int) -> None:
        if number % 10 == 0:
            void_tickets(order=order, tickets=[tickets[number // 10]])
        elif number % 10 == 5:
            release_seats()
            offered = WaitingEntry.objects.filter(status="offered", reservation__is_placed=False).first()
            if offered is not None:
                place_order(reservation=offered.reservation, values=buyer(email=offered.email))
        else:
            buying.reserve_tickets(event=event, start=start, quantities={pk: 1 + number % 2})

    outcomes(act, BUYERS)
    release_seats()
    date = own_date(event)
    assert date
    assert not can_serve(date)
    # All seats were freed, and each has somebody, or is on sale.
    assert taken() + (free_seats(date)[pk] or 0) == SEATS
    offers = Counter(OutgoingMail.objects.filter(template="ticket_offer").values_list("recipient", flat=True))
    assert offers
    assert set(offers.values()) == {1}


def test_control_without_the_lock_seats_are_sold_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    event, order = sold_out_with_a_line(3)
    # Parties of two and three are still waiting.
    WaitingEntry.objects.filter(quantity=1).delete()
    AttendeeTicket.objects.filter(pk=order.tickets.values_list("pk", flat=True)[0]).update(status="void")
    start, pk, threads = first_start(event), type_of(event).pk, 8
    without_transactions(monkeypatch)
    meet_before(monkeypatch, seats.Reservation.objects, "create", threads=threads)

    def take(number: int) -> None:
        buying.reserve_tickets(event=event, start=start, quantities={pk: 1})

    assert outcomes(take, threads, threads)["done"] == threads
    assert taken() > 3
