"""Products that staff delete or take off sale while customers have them in a cart, or are about to pay for them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.sales.views import EMPTY
from commerce.shop.models import Cart, CartItem, Order, Product, ProductVariant
from commerce.shop.selectors.carts import items_of
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services import archive_product, delete_product, save_product, unpublish_product
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.shop.services.placing import CHANGED, place_order
from commerce.shop.types.orders import PAYABLE
from tests.commerce.shop.builders import record_order_payment
from tests.visitor import hidden

from .builders import checkout_values, make_cart, make_method, make_order, make_variant, resent
from .test_checkout_page import CHECKOUT, form, text, visit

pytestmark = pytest.mark.django_db(transaction=True)

Change = Callable[[ProductVariant], Any]


def delete(variant: ProductVariant) -> None:
    delete_product(product=variant.product)


def remove_variant(variant: ProductVariant) -> None:
    """Its product gets another variant in its place."""
    (row,) = resent(variant.product)
    save_product(product=variant.product, values={"variants": [{"price_cents": row["price_cents"]}]})


CHANGES: list[Change] = [
    delete,
    remove_variant,
    lambda variant: archive_product(product=variant.product),
    lambda variant: unpublish_product(product=variant.product),
]
IDS = ["deleted", "variant removed", "archived", "unpublished"]


@pytest.fixture(autouse=True)
def ready(shop: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


@pytest.mark.parametrize(("change", "stock"), list(zip(CHANGES, [None, 5, None, 5], strict=True)), ids=IDS)
def test_what_disappears_from_a_checkout_is_said_also_if_it_was_free(change: Change, stock: int | None) -> None:
    """The total is the same without it."""
    gift, mug = make_variant(price=0, stock=stock, product={"name": "Gift"}), make_variant(product={"name": "Mug"})
    visitor, method = visit(make_cart((gift, 1), (mug, 1))), make_method()
    opened = hidden(visitor, CHECKOUT)
    assert opened["items"] == f"{gift.pk}:1 {mug.pk}:1"
    change(gift)
    answer = visitor.post(CHECKOUT, {**form(shipping_method=method.pk), **opened})
    assert (answer.status_code, Order.objects.count()) == (422, 0)
    assert CHANGED in text(answer)
    assert "Gift" not in text(answer)
    again = hidden(visitor, CHECKOUT)
    assert visitor.post(CHECKOUT, {**form(shipping_method=method.pk), **again}).status_code == 302
    assert [item.name for item in Order.objects.get().items.all()] == ["Mug"]


@pytest.mark.parametrize("change", CHANGES, ids=IDS)
def test_a_checkout_of_which_nothing_is_left_says_so(change: Change) -> None:
    mug = make_variant(product={"name": "Mug"})
    visitor, method = visit(make_cart((mug, 1))), make_method()
    opened = hidden(visitor, CHECKOUT)
    change(mug)
    answer = visitor.post(CHECKOUT, {**form(shipping_method=method.pk), **opened}, follow=True)
    assert EMPTY in text(answer)
    assert "Your cart is empty." in text(answer)
    assert not Order.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("model", [Product, ProductVariant])
@pytest.mark.parametrize("stock", [None, 5])
def test_what_is_deleted_while_the_order_is_placed_is_refused(
    stock: int | None, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cart = make_cart((make_variant(stock=stock), 1))
    values = checkout_values()

    def read_before_it_is_deleted(cart: Cart) -> list[CartItem]:
        found = items_of(cart)
        model.objects.all().delete()
        return found

    monkeypatch.setattr("commerce.shop.services.placing.items_of", read_before_it_is_deleted)
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=values)
    assert set(refusal.value.errors) == {"items"}
    assert not Order.objects.exists()


def lapse(order: Order) -> Order:
    Order.objects.filter(pk=order.pk).update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    order.refresh_from_db()
    assert (order.status, order.reserved_until) == ("pending", None)
    return order


@pytest.mark.both_databases
@pytest.mark.parametrize(("change", "stock"), list(zip(CHANGES, [None, 5, None, 5], strict=True)), ids=IDS)
def test_an_order_that_has_lost_its_reservation_is_not_paid_without_its_product(
    change: Change, stock: int | None, client: Client
) -> None:
    mug = make_variant(stock=stock, product={"name": "Mug"})
    order = lapse(make_order((mug, 1)))
    change(mug)
    answer = client.post(f"{ORDER_LINK.path(order)}/pay", follow=True)
    assert "Mug is no longer available. Please order again." in text(answer)
    # Staff who have the money decide for themselves.
    assert record_order_payment(order=order, values={"method": "cash"}).status == "paid"


def test_money_that_arrives_too_late_for_a_deleted_product_is_to_settle() -> None:
    mug = make_variant()
    order = make_order((mug, 1))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    Order.objects.update(reserved_until=None)
    ProductVariant.objects.update(reserved=0)
    delete(mug)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).unapplied
    order.refresh_from_db()
    assert order.status == "pending"


@pytest.mark.parametrize("change", CHANGES, ids=IDS)
def test_an_order_whose_items_are_reserved_can_be_paid(change: Change) -> None:
    mug = make_variant()
    order = make_order((mug, 1))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    change(mug)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert not settle(payment_id=payment.pk).unapplied
    order.refresh_from_db()
    assert (order.status, [str(item) for item in order.items.all()]) == ("paid", [f"1 x {order.items.get().name}"])
