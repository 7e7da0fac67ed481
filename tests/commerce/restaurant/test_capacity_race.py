"""Many customers for a slot of five orders: exactly five get it."""

from collections import Counter
from typing import Any

import pytest
from django.db.models import F

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.restaurant.models import MenuCart, RestaurantOrder, Slot
from commerce.restaurant.selectors import hours
from commerce.restaurant.services import capacity
from commerce.restaurant.services.placing import place_order
from tests.client import together
from tests.figures import figure

from .builders import last_slot, make_cart, make_dish, open_always, values

pytestmark = pytest.mark.django_db(transaction=True)

CUSTOMERS, PLACES, THREADS = figure(40, 100), 5, 20


def order_all(customers: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Place orders for the same slot at once, which everybody has seen on offer; return how often what came of it."""
    open_always()
    set_setting(key="restaurant.orders_per_slot", value=PLACES)
    dish, slot = make_dish(), last_slot()
    carts = [make_cart((dish, 1)) for _ in range(customers)]
    monkeypatch.setattr(hours, "offered_slots", lambda **_: [slot])

    def order(cart: MenuCart) -> str:
        try:
            place_order(cart=cart, values=values(slot=slot))
        except Invalid as refusal:
            return ", ".join(refusal.errors)
        return "done"

    return sum(together(lambda number: Counter(map(order, carts[number::THREADS])), THREADS), Counter())


def test_five_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert order_all(CUSTOMERS, monkeypatch) == {"done": PLACES, "slot": CUSTOMERS - PLACES}
    assert (Slot.objects.get().orders, RestaurantOrder.objects.count()) == (PLACES, PLACES)


def test_a_check_before_the_write_would_overbook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with a check before the write alone, the test above fails."""

    def look_then_write(order: Any) -> bool:
        return bool(Slot.objects.filter(starts_at=order.slot_at).update(orders=F("orders") + 1))

    monkeypatch.setattr(capacity, "_take", look_then_write)
    assert order_all(THREADS, monkeypatch)["done"] > PLACES
