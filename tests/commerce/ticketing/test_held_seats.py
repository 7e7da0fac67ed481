"""Seats that visitors of one network hold and have not paid for are limited, so that nobody reserves them all."""

from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import Reservation, TicketOrder
from commerce.ticketing.services.buying import place_order, reserve_tickets
from commerce.ticketing.services.housekeeping import release_seats
from tests import people

from .builders import adult, buyer, first_start, make_reservation, make_sales, pay, type_of, wait, wanted
from .page_builders import errors, reserve, text_of
from .refusals import refused


def client_at(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def reserved() -> int:
    return sum(Reservation.objects.values_list("seats__quantity", flat=True))


@pytest.mark.both_databases
def test_it_works() -> None:
    """Some posts of ten, without a name or an address, do not reserve a hundred seats."""
    event = make_sales(adult(size=110))
    answers = [reserve(client_at("192.0.2.7"), event, Adult=10).status_code for _ in range(4)]
    assert answers == [303, 303, 422, 422]
    assert reserved() == 20
    assert "At most 27 tickets can be reserved" in text_of(reserve(client_at("192.0.2.7"), event, Adult=8))
    # A smaller party still can, and everybody else.
    assert reserve(client_at("192.0.2.7"), event, Adult=7).status_code == 303
    assert reserve(client_at("192.0.2.8"), event, Adult=10).status_code == 303


@pytest.mark.parametrize(
    ("addresses", "reservations"),
    [
        (["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:2:3:4:5:6"], 1),
        (["2001:db8:1:2::1", "2001:db8:1:3::1"], 2),
        (["192.0.2.7", "192.0.2.8"], 2),
        (["192.0.2.7", "::ffff:192.0.2.7"], 1),
    ],
)
def test_a_network_is_an_address_or_a_64(addresses: list[str], reservations: int) -> None:
    event = make_sales(adult(size=30))
    for address in addresses:
        reserve(client_at(address), event, Adult=10)
    assert Reservation.objects.count() == reservations


def test_what_is_paid_is_held_no_longer() -> None:
    """People behind one address can all buy."""
    event = make_sales(adult(size=40))
    for number in range(2):
        assert reserve(client_at("192.0.2.7"), event, Adult=10).status_code == 303
        reservation = Reservation.objects.get()
        order = place_order(reservation=reservation, values=buyer(email=f"buyer{number}@example.com"))
        assert errors(reserve(client_at("192.0.2.7"), event, Adult=10))
        pay(order)
    assert TicketOrder.objects.filter(status="paid").count() == 2


def test_a_payment_that_is_on_its_way_does_not_count() -> None:
    event = make_sales(adult(size=40))
    reserve(client_at("192.0.2.7"), event, Adult=10)
    order = place_order(reservation=Reservation.objects.get(), values=buyer())
    TicketOrder.objects.filter(pk=order.pk).update(is_processing=True)
    assert reserve(client_at("192.0.2.7"), event, Adult=10).status_code == 303


def test_shared_seats_are_counted_together() -> None:
    types = [adult(quota="Hall", max_per_order=4), adult(name="Child", quota="Hall", max_per_order=4)]
    event = make_sales(*types, quotas=[{"name": "Hall", "size": 40}])
    answers = [reserve(client_at("192.0.2.7"), event, **{name: 4}).status_code for name in ("Adult", "Child", "Adult", "Child")]
    assert answers == [303, 303, 422, 422]


def test_seats_without_a_limit_are_not_counted() -> None:
    event = make_sales(adult())
    assert {reserve(client_at("192.0.2.7"), event, Adult=10).status_code for _ in range(4)} == {303}


def test_the_limit_can_be_switched_off() -> None:
    set_setting(key="payments.unpaid_orders_per_network", value=0)
    event = make_sales(adult(size=30))
    assert {reserve(client_at("192.0.2.7"), event, Adult=10).status_code for _ in range(3)} == {303}


def test_integrations_and_staff_are_not_counted() -> None:
    event = make_sales(adult(size=30))
    for _ in range(3):
        make_reservation(event, Adult=10)
    assert reserved() == 30


def test_an_unpaid_order_does_not_keep_its_seats_for_ever(later: Any) -> None:
    """However often the checkout is sent again."""
    event = make_sales(adult(size=1))
    reservation = make_reservation(event)
    for _ in range(4):
        place_order(reservation=reservation, values=buyer())
        later(minutes=30)
        release_seats()
    later(minutes=1)
    assert "reservation" in refused(place_order, reservation=reservation, values=buyer())
    release_seats()
    assert TicketOrder.objects.get().status == "cancelled"
    assert make_reservation(event, **{type_of(event).name: 1})


def test_a_network_waits_for_so_many_seats() -> None:
    """Offers hold seats for a day."""
    event = make_sales(adult(size=2, max_per_order=2))
    make_reservation(event, Adult=2)
    for number in range(5):
        wait(event, f"guest{number}@example.com", quantity=2, network="a")
    assert "quantity" in refused(wait, event, "guest5@example.com", network="a")
    assert wait(event, "guest5@example.com", network="b").status == "waiting"
    assert wait(event, "guest6@example.com").status == "waiting"


def test_an_entry_that_changes_counts_its_difference() -> None:
    event = make_sales(adult(size=4, max_per_order=4))
    make_reservation(event, Adult=4)
    member = create_member(email="guest0@example.com", password=people.PASSWORD)
    for number in range(9):
        wait(event, f"guest{number}@example.com", quantity=2, network="a")
    assert wait(event, "guest0@example.com", quantity=4, network="a", user=member).quantity == 4
    assert "quantity" in refused(wait, event, "guest9@example.com", network="a")
    wait(event, "guest0@example.com", quantity=3, network="a", user=member)
    wait(event, "guest9@example.com", network="a")
    assert "quantity" in refused(wait, event, "guest0@example.com", quantity=4, network="a", user=member)
    # From another network it counts there.
    assert wait(event, "guest0@example.com", quantity=4, network="b", user=member).network == "b"
    assert wait(event, "guest10@example.com", quantity=3, network="a")


def test_an_entry_of_somebody_else_stays_as_it_is() -> None:
    """Its address gets the link once more. Staff and integrations change it."""
    event = make_sales(adult(size=4))
    make_reservation(event, Adult=4)
    entry = wait(event, "guest@example.com", network="a")
    other = create_member(email="other@example.com", password=people.PASSWORD)
    for user in (None, other):
        again = wait(event, "guest@example.com", quantity=4, name="Eve", network="b", user=user)
        assert (again.pk, again.quantity, again.name, again.network) == (entry.pk, 1, "Noor de Vries", "a")
    assert OutgoingMail.objects.filter(template="ticket_waiting", recipient="guest@example.com").count() == 3
    assert wait(event, "guest@example.com", quantity=4).quantity == 4


def test_a_network_gets_half_of_the_free_tickets() -> None:
    """An order of free tickets is not confirmed by anybody."""
    event = make_sales(adult(size=60, pricing="free"))

    def order(network: str) -> TicketOrder:
        start, quantities = first_start(event), wanted(event, {"Adult": 10})
        reservation = reserve_tickets(event=event, start=start, quantities=quantities, network=network)
        return place_order(reservation=reservation, values=buyer())

    for _ in range(3):
        assert order("a").status == "paid"
    assert "quantity" in refused(order, "a")
    Reservation.objects.all().delete()
    assert (order("b").status, order("").status) == ("paid", "paid")
