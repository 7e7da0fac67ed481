"""Many buyers for few pieces: none is sold twice, and what is not paid comes back."""

import threading
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from functools import partial

import pytest
from django.db.models import F
from django.utils import timezone

from commerce.shop.models import Cart, DiscountCode, Order, ProductVariant
from commerce.shop.services import stock
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.shop.services.placing import place_order
from tests.client import together
from tests.figures import figure

from .builders import checkout_values, make_cart, make_code, make_method, make_variant
from .outcomes import outcome

pytestmark = pytest.mark.django_db(transaction=True)

BUYERS, PIECES, THREADS = figure(60, 200), figure(8, 20), 20


def buy_all(carts: Iterable[Cart]) -> Counter[str]:
    """Place the orders of all carts at once; return how often what came of it."""
    method, waiting = make_method().pk, list(carts)

    def buy(number: int) -> Counter[str]:
        return Counter(outcome(partial(order, cart)) for cart in waiting[number::THREADS])

    def order(cart: Cart) -> Order:
        return place_order(cart=cart, values=checkout_values(email=f"buyer{cart.pk}@example.com", shipping_method=method))

    return sum(together(buy, THREADS), Counter())


def test_many_buyers_get_what_there_is() -> None:
    variant = make_variant(stock=PIECES)
    bought = buy_all([make_cart((variant, 1)) for _ in range(BUYERS)])
    assert bought == {"done": PIECES, "items": BUYERS - PIECES}
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved, Order.objects.count()) == (PIECES, PIECES, PIECES)
    numbers = sorted(int(number.removeprefix("ORD-")) for number in Order.objects.values_list("number", flat=True))
    assert numbers == list(range(1001, 1001 + PIECES))
    # Nobody has paid: all pieces come back, and can be bought again.
    Order.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved, variant.available) == (PIECES, 0, PIECES)


def test_a_check_before_the_reservation_would_oversell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: with a check that others may pass before the write, the test above fails."""
    variant = make_variant(stock=PIECES)

    def take(pk: int, quantity: int) -> bool:
        # Everybody saw this in their carts: the check stands outside the transaction that reserves.
        if seen.setdefault(threading.get_ident(), PIECES) < quantity:
            return False
        seen[threading.get_ident()] -= quantity
        return bool(ProductVariant.objects.filter(pk=pk).update(reserved=F("reserved") + quantity))

    seen: dict[int, int] = {}
    monkeypatch.setattr(stock, "_take", take)
    assert buy_all([make_cart((variant, 1)) for _ in range(3 * PIECES)])["done"] > PIECES


def test_a_code_for_five_orders_is_used_five_times() -> None:
    make_code("FIVE", max_uses=5)
    variant = make_variant(stock=100)
    for _ in range(20):
        make_cart((variant, 1))
    Cart.objects.update(discount_code="FIVE")
    assert buy_all(Cart.objects.all()) == {"done": 5, "discount_code": 15}
    assert DiscountCode.objects.get().used == 5
    variant.refresh_from_db()
    assert variant.reserved == 5
