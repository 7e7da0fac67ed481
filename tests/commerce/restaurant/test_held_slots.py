"""Unpaid orders of one network for the same time are limited."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.restaurant.models import RestaurantOrder
from commerce.restaurant.services.housekeeping import forget_networks_of_orders
from commerce.restaurant.services.kitchen import cancel_order, complete_order, start_preparing
from commerce.restaurant.services.paying import become_placed
from commerce.restaurant.services.placing import place_order
from tests import people
from tests.commerce.shop.outcomes import outcome

from .builders import last_slot, make_cart, open_always, values


def place(network: str = "a", **changes: str) -> RestaurantOrder:
    online = values(payment_method="online", slot=last_slot(), **changes)
    return place_order(cart=make_cart(), values=online, network=network)


@pytest.fixture(autouse=True)
def opened() -> None:
    open_always()
    set_setting(key="restaurant.orders_per_slot", value=8)
    set_setting(key="payments.unpaid_bookings_per_network", value=5)


@pytest.mark.both_databases
def test_it_works() -> None:
    first = place()
    place()
    with pytest.raises(Invalid) as refusal:
        place()
    assert set(refusal.value.errors) == {"slot"}
    for network in ("b", ""):
        place(network)
    become_placed(first, paid_at=timezone.now())
    assert first.network == ""
    place()
    # The order that was refused has left nothing.
    assert RestaurantOrder.objects.count() == 5


def at_store(network: str = "a", user: Any = None, **changes: Any) -> RestaurantOrder:
    chosen = values(**{"slot": last_slot(), **changes})
    return place_order(cart=make_cart(), values=chosen, network=network, user=user)


def test_orders_that_are_paid_at_the_store_are_limited_too() -> None:
    at_store()
    place()
    assert outcome(at_store) == outcome(place) == "slot"
    for network in ("b", ""):
        at_store(network)


def test_orders_of_all_times_that_are_paid_at_the_store_are_limited() -> None:
    """Until they are completed or cancelled; also where the orders of a time are not limited."""
    set_setting(key="restaurant.orders_per_slot", value=0)
    made = [at_store() for _ in range(5)]
    assert outcome(at_store) == "slot"
    start_preparing(order=made[0])
    complete_order(order=made[0])
    at_store()
    assert outcome(at_store) == "slot"
    cancel_order(order=made[1])
    at_store()
    assert outcome(at_store) == "slot"
    RestaurantOrder.objects.update(created_at=timezone.now() - timedelta(days=1))
    at_store()
    forget_networks_of_orders()
    assert RestaurantOrder.objects.exclude(network="").count() == 1


def test_people_who_have_confirmed_their_address_and_staff_are_not_limited() -> None:
    member = create_member(email="dana@example.com", password=people.PASSWORD)
    for user in (member, people.alice()):
        for _ in range(4):
            assert at_store(user=user).network == ""


def test_guests_at_tables_share_a_network() -> None:
    set_setting(key="restaurant.dine_in", value=True)
    for number in range(4):
        at_store(fulfillment="dine_in", table=str(number))
    assert outcome(lambda: at_store(fulfillment="dine_in", table="5")) == "slot"
    set_setting(key="restaurant.orders_per_slot", value=0)
    for number in range(6):
        at_store(fulfillment="dine_in", table=str(number))


def test_an_order_that_is_sent_again_replaces_itself() -> None:
    cart, online = make_cart(), values(payment_method="online", slot=last_slot())
    for _ in range(4):
        place_order(cart=cart, values=online, network="a")
