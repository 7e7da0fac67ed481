"""Placing orders: what is binding at once, what waits for a payment, and what is refused."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.models import MenuCartItem, RestaurantOrder, Slot
from commerce.restaurant.services import switch_dish
from commerce.restaurant.services.carts import add_to_cart, change_cart, open_cart
from commerce.restaurant.services.housekeeping import lapse_orders
from commerce.restaurant.services.kitchen import cancel_order, complete_order, mark_ready, start_preparing
from commerce.restaurant.services.placing import place_order

from .builders import ADDRESS, GROUPS, make_cart, make_dish, make_order, make_zone, open_always, option, values


def events() -> list[Any]:
    found = OutboxEvent.objects.filter(kind="restaurant_order.placed").order_by("pk")
    return [json.loads(bytes(event.payload)) for event in found]


def mails() -> list[str]:
    return list(OutgoingMail.objects.order_by("pk").values_list("template", flat=True))


def pay(order: RestaurantOrder, status: PaymentStatus = PaymentStatus.SUCCEEDED) -> Payment:
    payment = start_payment(payable="restaurant_order", record_id=order.pk)
    decide_test_payment(payment=payment, status=status)
    return settle(payment_id=payment.pk)


@pytest.mark.both_databases
def test_an_order_that_is_paid_at_the_store_is_binding_at_once() -> None:
    order = make_order(notes="No nuts")
    assert (order.number, order.status, order.total_cents) == ("RES-1001", "placed", 2000)
    assert [event["data"]["number"] if "data" in event else event["number"] for event in events()] == ["RES-1001"]
    assert "restaurant_order_placed" in mails()
    assert not MenuCartItem.objects.exists()
    assert (order.placed_at is None, order.paid_at) == (False, None)


@pytest.mark.django_db(transaction=True)
def test_an_online_order_is_binding_when_it_is_paid() -> None:
    order = make_order(payment_method="online", tip_cents=200)
    assert (order.status, order.total_cents, events(), mails()) == ("pending", 2200, [], [])
    pay(order)
    order.refresh_from_db()
    assert (order.status, order.paid_at is not None, len(events())) == ("placed", True, 1)


@pytest.mark.django_db(transaction=True)
def test_money_for_a_cancelled_order_is_not_applied() -> None:
    order = make_order(payment_method="online")
    payment = start_payment(payable="restaurant_order", record_id=order.pk)
    RestaurantOrder.objects.filter(pk=order.pk).update(status="cancelled")
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).unapplied
    order.refresh_from_db()
    assert (order.status, events()) == ("cancelled", [])


@pytest.mark.django_db(transaction=True)
def test_an_order_that_is_not_paid_in_time_lapses() -> None:
    order = make_order(payment_method="online")
    assert Slot.objects.get().orders == 1
    lapse_orders()
    order.refresh_from_db()
    assert order.status == "pending"
    RestaurantOrder.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    lapse_orders()
    order.refresh_from_db()
    assert (order.status, Slot.objects.get().orders) == ("cancelled", 0)


@pytest.mark.django_db(transaction=True)
def test_cancelling_refunds_an_online_payment() -> None:
    order = make_order(payment_method="online")
    pay(order)
    order.refresh_from_db()
    assert cancel_order(order=order)
    order.refresh_from_db()
    assert (order.status, order.refunded_cents) == ("cancelled", 2000)
    assert mails()[-1] == "restaurant_order_cancelled"
    assert not cancel_order(order=order)


@pytest.mark.django_db(transaction=True)
def test_the_way_through_the_kitchen() -> None:
    order = make_order()
    assert [start_preparing(order=order) for _ in range(2)] == [True, False]
    assert mark_ready(order=order)
    assert mails()[-1] == "restaurant_order_ready"
    assert complete_order(order=order, method="cash")
    order.refresh_from_db()
    assert (order.status, order.paid_at is not None) == ("completed", True)
    assert Payment.objects.get().method == "cash"
    with pytest.raises(Invalid):
        cancel_order(order=order)
    assert len(events()) == 1


def test_a_delivery_costs_the_fee_of_its_zone() -> None:
    make_zone(free_from_cents=5000)
    changes = {"fulfillment": "delivery", "delivery_address": ADDRESS, "phone": "802"}
    order = make_order(**changes)
    assert (order.zone, order.delivery_fee_cents, order.total_cents) == ("Town", 300, 2300)
    assert make_order((make_dish(price=5000), 1), **changes).delivery_fee_cents == 0


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another total": ({"total_cents": 1}, "total_cents"),
    "a past slot": ({"slot": timezone.now() - timedelta(hours=1)}, "slot"),
    "a slot off the grid": ({"slot": timezone.now() + timedelta(hours=3)}, "slot"),
    "no slot": ({"slot": None}, "slot"),
    "a negative tip": ({"tip_cents": -100}, "tip_cents"),
    "a huge tip": ({"tip_cents": 10**15}, "tip_cents"),
    "a fractional tip": ({"tip_cents": 1.5}, "tip_cents"),
    "NUL": ({"name": "a\0b"}, "name"),
    "no name": ({"name": ""}, "name"),
    "no email": ({"email": "dana"}, "email"),
    "an unknown fulfillment": ({"fulfillment": "drone"}, "fulfillment"),
    "a fulfillment that is off": ({"fulfillment": "dine_in", "table": "7"}, "fulfillment"),
    "an unknown payment": ({"payment_method": "shells"}, "payment_method"),
    "outside of all zones": ({"fulfillment": "delivery", "phone": "1", "delivery_address": ADDRESS}, "delivery_address"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(case: str) -> None:
    changes, name = REFUSED[case]
    with pytest.raises(Invalid) as refusal:
        make_order(**changes)
    assert name in refusal.value.errors
    assert (RestaurantOrder.objects.count(), events()) == (0, [])


def test_it_refuses_orders_while_closed_or_paused() -> None:
    cart = make_cart()
    with pytest.raises(Invalid, match="no time left"):
        place_order(cart=cart, values=values())
    open_always()
    set_setting(key="restaurant.is_paused", value=True)
    with pytest.raises(Invalid, match="aren't taking orders"):
        place_order(cart=cart, values=values())


def test_it_refuses_less_than_the_minimum_of_a_zone() -> None:
    make_zone(minimum_cents=3000)
    with pytest.raises(Invalid, match="from"):
        make_order(fulfillment="delivery", delivery_address=ADDRESS, phone="802")


def test_it_refuses_what_has_been_sold_out_since() -> None:
    open_always()
    dish = make_dish()
    cart = make_cart((dish, 1))
    switch_dish(dish=dish, available=False)
    with pytest.raises(Invalid, match="sold out"):
        place_order(cart=cart, values=values())


def test_options_are_checked_and_priced() -> None:
    open_always()
    dish, other = make_dish(groups=GROUPS), make_dish(groups=GROUPS)
    large, olives, capers, rocket = (option(dish, name) for name in ("Large", "Olives", "Capers", "Rocket"))
    cart = open_cart()
    foreign, both = [option(other, "Large")], [large, option(dish, "Regular")]
    for wrong in ([], [olives], both, [large, olives, capers, rocket], foreign, [large, *foreign], [large, -1]):
        with pytest.raises(Invalid):
            add_to_cart(cart=cart, item=dish, options=wrong)
    for _ in range(2):
        add_to_cart(cart=cart, item=dish, options=[olives, large])
    order = place_order(cart=cart, values=values())
    item = order.items.get()
    assert (item.quantity, item.modifiers) == (
        2,
        [{"name": "Large", "price_cents": 300}, {"name": "Olives", "price_cents": 100}],
    )
    assert (item.total_cents, order.total_cents) == (2800, 2800)


@pytest.mark.parametrize("quantity", [-1, 0, 100, 10**12])
def test_quantities_have_limits(quantity: int) -> None:
    cart = make_cart()
    with pytest.raises(Invalid):
        add_to_cart(cart=cart, item=make_dish(), quantity=quantity)
    if quantity:
        with pytest.raises(Invalid):
            change_cart(cart=cart, quantities={MenuCartItem.objects.get().pk: quantity})
