"""Buyers, people on the waiting list and former holders at once: no seat is sold twice, nobody has two offers."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.sales.services import AlreadyPaid
from commerce.ticketing.models import AttendeeTicket, PromoCode, Reservation, RevokedCode, TicketOrder, WaitingEntry
from commerce.ticketing.services import buying, seats, transferring, waiting
from commerce.ticketing.services.buying import place_order
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.paying import ORDERS
from tests.client import together
from tests.figures import figure
from tests.unprotected import meet_before, without_transactions

from .builders import (
    adult,
    buyer,
    first_start,
    make_order,
    make_promo,
    make_reservation,
    make_sales,
    paid_order,
    pay,
    type_of,
    wait,
)

pytestmark = pytest.mark.django_db(transaction=True)

BUYERS, THREADS = figure(60, 200), 20
SEATS = BUYERS // 10
#: Seats that are sold and come back while people wait for them.
FREED = figure(20, 100)


def outcomes(act: Callable[[int], Any], times: int, threads: int = THREADS) -> Counter[str]:
    """Do something so many times, in several threads; return how often what came of it."""

    def run(thread: int) -> Counter[str]:
        return Counter(attempt(number) for number in range(thread, times, threads))

    def attempt(number: int) -> str:
        try:
            act(number)
        except Invalid as refusal:
            return ", ".join(sorted(path.split(".")[0] for path in refusal.errors))
        except AlreadyPaid:
            return "paid"
        return "done"

    return sum(together(run, threads), Counter())


def test_of_many_buyers_as_many_as_there_are_seats_get_one(later: Any) -> None:
    event = make_sales(adult(size=SEATS))
    start = first_start(event)

    def buy(number: int) -> None:
        reservation = make_reservation(event, start)
        place_order(reservation=reservation, values=buyer(email=f"buyer{number}@example.com"))

    assert outcomes(buy, BUYERS) == {"done": SEATS, "quantity": BUYERS - SEATS}
    orders = list(TicketOrder.objects.order_by("pk"))
    assert sorted(order.number for order in orders) == [f"TIX-{1001 + number}" for number in range(SEATS)]
    # Half of them pay; the seats of the others come back.
    for order in orders[: SEATS // 2]:
        assert pay(order).status == "paid"
    later(minutes=40)
    release_seats()
    assert outcomes(buy, BUYERS)["done"] == SEATS // 2
    assert AttendeeTicket.objects.count() == SEATS // 2


def test_control_a_count_without_the_lock_oversells(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales(adult(size=5))
    start, pk = first_start(event), type_of(event).pk
    without_transactions(monkeypatch)
    threads = 8
    meet_before(monkeypatch, seats.Reservation.objects, "create", threads=threads)

    def take(number: int) -> None:
        buying.reserve_tickets(event=event, start=start, quantities={pk: 2})

    assert outcomes(take, threads, threads)["done"] == threads
    assert sum(Reservation.objects.values_list("seats__quantity", flat=True)) > 5


def test_a_shared_quota_is_never_exceeded() -> None:
    types = [adult(quota="Hall"), adult(name="Student", quota="Hall"), adult(name="Child", pricing="free", quota="Hall", size=5)]
    event = make_sales(*types, quotas=[{"name": "Hall", "size": SEATS}])
    start, names = first_start(event), ("Adult", "Student", "Child")
    wanted = {name: type_of(event, name).pk for name in names}

    def take(number: int) -> None:
        buying.reserve_tickets(event=event, start=start, quantities={wanted[names[number % 3]]: 1})

    assert outcomes(take, 40)["done"] == SEATS
    of_children = Reservation.objects.filter(seats__ticket_type=wanted["Child"]).count()
    assert of_children <= 5


def test_a_promo_code_for_five_orders_is_used_five_times() -> None:
    make_promo("FIVE", max_uses=5)
    event = make_sales()
    reservations = [make_reservation(event, code="FIVE") for _ in range(20)]

    def buy(number: int) -> None:
        place_order(reservation=reservations[number], values=buyer(email=f"buyer{number}@example.com"))

    assert outcomes(buy, 20) == {"done": 5, "discount_code": 15}
    assert PromoCode.objects.get().used == 5


def test_one_order_for_a_reservation_that_is_checked_out_many_times() -> None:
    reservation = make_reservation(make_sales(adult(size=1)))
    found = outcomes(lambda number: place_order(reservation=reservation, values=buyer()), 20)
    assert found["done"] >= 1
    assert found["done"] + found["paid"] == 20
    assert TicketOrder.objects.count() == 1


def test_freed_seats_are_offered_once_each() -> None:
    event = make_sales(adult(size=FREED, max_per_order=FREED))
    order = paid_order(event, Adult=FREED)
    for number in range(FREED + 10):
        wait(event, f"waiting{number:03}@example.com")
    tickets = list(order.tickets.order_by("pk").values_list("pk", flat=True))

    def void(number: int) -> None:
        void_tickets(order=order, tickets=[tickets[number]])
        if number % 10 == 0:
            release_seats()

    outcomes(void, FREED, 10)
    offered = WaitingEntry.objects.filter(status="offered")
    assert offered.count() == FREED
    # In turn, each with seats of its own, and one email.
    assert list(offered.order_by("pk").values_list("email", flat=True)) == [f"waiting{n:03}@example.com" for n in range(FREED)]
    assert len(set(offered.values_list("reservation", flat=True))) == FREED
    sent = Counter(_recipients("ticket_offer"))
    assert (len(sent), set(sent.values())) == (FREED, {1})


def test_control_offers_without_the_lock_go_to_somebody_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales(adult(size=1))
    order = paid_order(event)
    wait(event)
    AttendeeTicket.objects.filter(order=order).update(status="void")
    start = first_start(event)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, seats.Reservation.objects, "create", threads=4)
    together(lambda number: waiting.offer_seats(event.pk, start), 4)
    assert len(_recipients("ticket_offer")) == 4


def _recipients(template: str) -> list[str]:
    return list(OutgoingMail.objects.filter(template=template).values_list("recipient", flat=True))


def test_a_ticket_is_transferred_once() -> None:
    ticket = paid_order(make_sales()).tickets.get()

    def transfer(number: int) -> None:
        transferring.transfer_ticket(ticket=ticket, name="Sam", email=f"sam{number}@example.com")

    assert outcomes(transfer, 20) == {"done": 1, "status": 19}
    assert RevokedCode.objects.count() == 1
    assert len(_recipients("ticket_transferred")) == 1


def test_a_payment_that_arrives_after_the_seats_are_gone_is_not_applied(later: Any) -> None:
    """Of ten late payments for one seat, one is applied."""
    event = make_sales(adult(size=1))
    orders = []
    for number in range(10):
        orders.append(make_order(event, buyer_values={"email": f"buyer{number}@example.com"}))
        later(minutes=40)
        release_seats()

    def arrive(number: int) -> None:
        with transaction.atomic():
            locked = ORDERS.lock(orders[number].pk)
            assert locked
            if not ORDERS.become_paid(locked):
                raise Invalid({"gone": "x"})

    assert outcomes(arrive, 10, 10) == {"done": 1, "gone": 9}
    assert AttendeeTicket.objects.count() == 1
