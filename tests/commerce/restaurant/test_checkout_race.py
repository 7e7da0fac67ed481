"""Checkouts of one cart at once: exactly one order is live, whatever the way to pay."""

from collections import Counter

import pytest

from cms_api.core.errors import Invalid
from commerce.restaurant.models import MenuCart, MenuCartItem, RestaurantOrder, Slot
from commerce.restaurant.services import placing
from commerce.restaurant.services.placing import place_order
from commerce.restaurant.types.orders import OrderStatus
from commerce.sales.services import AlreadyPaid
from tests.client import together
from tests.unprotected import meet_before, without_transactions

from .builders import make_cart, open_always, values

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 8


def check_out(method: str) -> Counter[str]:
    """Check out the same cart in several threads; return how often what came of it."""
    open_always()
    pk = make_cart().pk

    def act(number: int) -> str:
        try:
            place_order(cart=MenuCart.objects.get(pk=pk), values=values(payment_method=method))
        except AlreadyPaid:
            return "paid"
        except Invalid as refusal:
            return ", ".join(refusal.errors)
        return "done"

    return Counter(together(act, THREADS))


def live() -> list[RestaurantOrder]:
    return list(RestaurantOrder.objects.exclude(status=OrderStatus.CANCELLED))


def places_taken() -> int:
    """In all slots: the next one may begin while the threads check out."""
    return sum(Slot.objects.values_list("orders", flat=True))


def test_one_is_placed_to_be_paid_at_the_store() -> None:
    assert check_out("at_store") == {"done": 1, "items": THREADS - 1}
    assert [order.status for order in live()] == ["placed"]
    assert (places_taken(), MenuCartItem.objects.count()) == (1, 0)


def test_one_waits_for_its_payment() -> None:
    assert check_out("online") == {"done": THREADS}
    (order,) = live()
    assert (order.status, order.has_slot, places_taken()) == ("pending", True, 1)
    # The others were replaced.
    assert RestaurantOrder.objects.filter(status="cancelled", cart=None, has_slot=False).count() == THREADS - 1


def test_control_without_the_locks_and_the_constraint_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them find the cart full. Where it is not stored with the order, the constraint does not stop them either."""

    def take_slot(order: RestaurantOrder) -> None:
        order.cart = None

    monkeypatch.setattr(placing, "take_slot", take_slot)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, placing, "take_slot", threads=THREADS)
    assert check_out("at_store") == {"done": THREADS}
    assert len(live()) == THREADS
