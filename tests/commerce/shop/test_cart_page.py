"""The cart as visitors use it: filling it, changing it, its cookies, and what becomes of it when they sign in."""

from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from commerce.shop.models import Cart, CartItem, Order, ProductVariant
from commerce.shop.services import archive_product
from commerce.shop.services.carts import add_to_cart, open_cart
from tests.people import PASSWORD
from tests.refusals import is_refused_for

from .builders import make_code, make_order, make_variant

pytestmark = pytest.mark.django_db

CART, ADD, UPDATE = "/shop/cart", "/shop/cart/add", "/shop/cart/update"


def items() -> list[tuple[int, int]]:
    return list(CartItem.objects.order_by("pk").values_list("variant", "quantity"))


def with_cart(*chosen: tuple[ProductVariant, int]) -> Client:
    visitor = Client()
    for variant, quantity in chosen:
        assert visitor.post(ADD, {"variant": variant.pk, "quantity": quantity}).status_code == 302
    return visitor


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_it_works() -> None:
    mug = make_variant(price=1250, product={"name": "Mug"})
    visitor = Client()
    answer = visitor.post(ADD, {"variant": mug.pk, "quantity": 2}, follow=True)
    assert answer.redirect_chain == [(CART, 302)]
    for words in ("Mug added to your cart.", "$12.50", "$25.00", "Order summary", "Checkout"):
        assert words in text(answer)
    assert visitor.cookies["cart_items"].value == "2"
    assert visitor.cookies["cart"]["httponly"]
    visitor.post(ADD, {"variant": mug.pk})
    assert items() == [(mug.pk, 3)]
    assert visitor.cookies["cart_items"].value == "3"
    item = CartItem.objects.get()
    visitor.post(UPDATE, {f"quantity-{item.pk}": 5})
    assert items() == [(mug.pk, 5)]
    assert visitor.post(UPDATE, {f"quantity-{item.pk}": 4, "checkout": "1"}).headers["Location"] == "/shop/checkout"
    assert items() == [(mug.pk, 4)]
    answer = visitor.post(UPDATE, {f"quantity-{item.pk}": 4, "remove": item.pk}, follow=True)
    assert "Your cart is empty." in text(answer)
    assert visitor.cookies["cart_items"].value == ""


def test_visitors_have_carts_of_their_own() -> None:
    with_cart((make_variant(), 2))
    assert "Your cart is empty." in text(Client().get(CART))
    stranger = Client()
    stranger.cookies["cart"] = "x" * 5000
    assert stranger.get(CART).status_code == 200
    stranger.cookies["cart"] = "a\0b"
    assert stranger.get(CART).status_code == 200


def test_nobody_changes_the_cart_of_somebody_else() -> None:
    with_cart((make_variant(), 2))
    item = CartItem.objects.get()
    stranger = with_cart((make_variant(), 1))
    stranger.post(UPDATE, {f"quantity-{item.pk}": 7, "remove": item.pk})
    item.refresh_from_db()
    assert item.quantity == 2


@pytest.mark.parametrize(
    "quantity",
    [
        "-1",
        "10000",
        "9" * 30,
        "1.5",
        "two",
        "1\0",
        "²",
    ],
)
def test_a_quantity_that_makes_no_sense_is_refused(quantity: str) -> None:
    answer = Client().post(ADD, {"variant": make_variant(stock=None).pk, "quantity": quantity})
    assert (answer.status_code, items()) == (422, [])
    assert "Enter a quantity between 1 and 9999." in text(answer)


@pytest.mark.parametrize(
    "variant",
    [
        "",
        "999",
        "9" * 30,
        "\0",
    ],
)
def test_a_variant_that_does_not_exist_is_refused(variant: str) -> None:
    answer = Client().post(ADD, {"variant": variant})
    assert (answer.status_code, items()) == (422, [])
    assert "Choose a product first." in text(answer)


@pytest.mark.parametrize("status", ["draft", "archived"])
def test_a_hidden_product_cannot_be_added_and_is_not_sold(status: str) -> None:
    variant = make_variant(product={"status": status})
    answer = Client().post(ADD, {"variant": variant.pk})
    assert (answer.status_code, items()) == (422, [])
    assert "no longer available" in text(answer)


@pytest.mark.parametrize("others", [0, 1])
def test_a_product_that_is_hidden_later_is_said_to_be_gone(others: int) -> None:
    mug, bowl = make_variant(product={"name": "Mug"}), make_variant(product={"name": "Bowl"})
    visitor = with_cart((mug, 1), *[(bowl, 1)] * others)
    archive_product(product=mug.product)
    page = text(visitor.get(CART))
    assert "Mug is no longer available." in page
    assert ("$10.00" in page, "Your cart is empty." in page) == (bool(others), not others)
    item = CartItem.objects.get(variant=mug)
    page = text(visitor.post(UPDATE, {"remove": item.pk}, follow=True))
    assert "Mug is no longer available." not in page
    assert items() == [(bowl.pk, 1)] * others


def test_more_than_there_is_cannot_be_added() -> None:
    variant = make_variant(stock=3, reserved=1, product={"name": "Mug"})
    visitor = with_cart((variant, 1))
    answer = visitor.post(ADD, {"variant": variant.pk, "quantity": 2})
    assert (answer.status_code, items()) == (422, [(variant.pk, 1)])
    assert "Only 2 of Mug left." in text(answer)
    item = CartItem.objects.get()
    answer = visitor.post(UPDATE, {f"quantity-{item.pk}": 3})
    assert (answer.status_code, items()) == (422, [(variant.pk, 1)])
    assert "Only 2 of Mug left." in text(answer)
    ProductVariant.objects.update(reserved=3)
    assert "Mug is out of stock." in text(Client().post(ADD, {"variant": variant.pk}))


@pytest.mark.parametrize("quantity", ["-1", "10000", "1.5", "\0", "x"])
def test_a_changed_quantity_that_makes_no_sense_is_refused(quantity: str) -> None:
    variant = make_variant()
    visitor = with_cart((variant, 2))
    answer = visitor.post(UPDATE, {f"quantity-{CartItem.objects.get().pk}": quantity, "checkout": "1"})
    assert (answer.status_code, items()) == (422, [(variant.pk, 2)])


def test_a_refusal_changes_no_other_item_either() -> None:
    mug, bowl = make_variant(stock=5), make_variant(stock=1, product={"name": "Bowl"})
    visitor = with_cart((mug, 1), (bowl, 1))
    first, second = CartItem.objects.order_by("pk")
    answer = visitor.post(UPDATE, {f"quantity-{first.pk}": 4, f"quantity-{second.pk}": 2})
    assert (answer.status_code, items()) == (422, [(mug.pk, 1), (bowl.pk, 1)])
    assert "Only 1 of Bowl left." in text(answer)


def test_a_customer_is_not_blocked_by_the_own_reservation() -> None:
    variant = make_variant(stock=2)
    order = make_order((variant, 2))
    cart = Cart.objects.get(pk=order.cart_id)
    visitor = Client()
    visitor.cookies["cart"] = cart.token
    assert visitor.post(UPDATE, {f"quantity-{CartItem.objects.get().pk}": 1}).status_code == 302
    assert items() == [(variant.pk, 1)]
    assert visitor.post(ADD, {"variant": variant.pk}).status_code == 302
    assert Client().post(ADD, {"variant": variant.pk}).status_code == 422


def test_a_discount_code() -> None:
    make_code("SAVE10")
    visitor = with_cart((make_variant(price=1000), 2))
    page = text(visitor.post(UPDATE, {"discount_code": " save10 "}, follow=True))
    for words in ("Discount (SAVE10)", "-$2.00", "$18.00", 'value="SAVE10"'):
        assert words in page
    for wrong in ("NOPE", "a\0b", "x" * 500):
        answer = visitor.post(UPDATE, {"discount_code": wrong})
        assert answer.status_code == 422
        assert "This discount code isn&#x27;t valid." in text(answer)
    assert Cart.objects.get().discount_code == "SAVE10"
    visitor.post(UPDATE, {"discount_code": ""})
    assert Cart.objects.get().discount_code == ""


def test_codes_cannot_be_found_by_trying() -> None:
    """Wrong codes run out, in this network alone; the right one may be sent as often as the cart is changed."""
    make_code("SAVE10")
    visitor = with_cart((make_variant(price=1000), 2))
    for _ in range(25):
        assert visitor.post(UPDATE, {"discount_code": "save10"}).status_code == 302
    visitor.post(UPDATE, {"discount_code": ""})
    statuses = [visitor.post(UPDATE, {"discount_code": f"guess{number}"}).status_code for number in range(22)]
    assert statuses == [422] * 20 + [429] * 2
    refused = visitor.post(UPDATE, {"discount_code": "save10"})
    assert is_refused_for(refused, 3600)
    assert "Too many requests." in text(refused)
    assert Cart.objects.get().discount_code == ""
    assert visitor.post(UPDATE, {"discount_code": "save10"}, REMOTE_ADDR="203.0.113.9").status_code == 302


def test_a_code_that_no_longer_applies_is_named_at_its_field() -> None:
    make_code("BIG", minimum_cents=5000)
    visitor = with_cart((make_variant(price=1000), 2))
    page = text(visitor.post(UPDATE, {"discount_code": "big"}, follow=True))
    assert "This discount code is for orders of $50.00 or more." in page
    assert 'aria-describedby="discount-code-error"' in page


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example", "http://testserver:81"])
def test_another_site_cannot_fill_the_cart(origin: str) -> None:
    variant = make_variant()
    answer = Client().post(ADD, {"variant": variant.pk}, headers={"Origin": origin})
    assert (answer.status_code, items(), Cart.objects.count()) == (403, [], 0)
    assert Client().post(ADD, {"variant": variant.pk}, headers={"Origin": "http://testserver"}).status_code == 302


def test_an_update_needs_its_token() -> None:
    variant = make_variant()
    visitor = Client(enforce_csrf_checks=True)
    visitor.post(ADD, {"variant": variant.pk})
    assert visitor.post(UPDATE, {f"quantity-{CartItem.objects.get().pk}": 5}).status_code == 403
    assert items() == [(variant.pk, 1)]


@pytest.mark.parametrize(("path", "method"), [(ADD, "get"), (UPDATE, "get"), (CART, "post"), (CART, "delete")])
def test_methods(path: str, method: str) -> None:
    assert getattr(Client(), method)(path).status_code == 405


def test_nothing_is_stored_by_proxies() -> None:
    for answer in (Client().get(CART), Client().get("/shop/checkout")):
        assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("opened", [CART, "/shop/checkout"])
def test_signing_in_brings_the_cart_along(accounts_on: None, opened: str) -> None:
    mug, bowl = make_variant(), make_variant()
    member = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    add_to_cart(cart=open_cart(user=member), variant=mug)
    visitor = with_cart((mug, 2), (bowl, 1))
    Cart.objects.filter(user=None).update(discount_code="GUEST")
    visitor.force_login(member)
    visitor.get(opened)
    cart = Cart.objects.get()
    assert (cart.user, cart.discount_code) == (member, "GUEST")
    assert sorted(items()) == sorted([(mug.pk, 3), (bowl.pk, 1)])
    # Somebody else at the same computer does not see it.
    del visitor.cookies["sessionid"]
    assert "Your cart is empty." in text(visitor.get(CART))
    assert visitor.cookies["cart_items"].value == ""


def test_an_account_without_a_cart_takes_over_the_guests(accounts_on: None) -> None:
    member = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    visitor = with_cart((make_variant(), 2))
    visitor.force_login(member)
    assert "Order summary" in text(visitor.get(CART))
    assert Cart.objects.get().user == member


@pytest.mark.both_databases
def test_the_pending_order_of_a_guest_goes_with_the_cart(accounts_on: None) -> None:
    member = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    variant = make_variant(stock=2)
    own = open_cart(user=member)
    order = make_order((variant, 2))
    visitor = Client()
    visitor.cookies["cart"] = Cart.objects.get(pk=order.cart_id).token
    visitor.force_login(member)
    visitor.get(CART)
    assert Order.objects.get().cart == own


def test_the_number_in_the_header_follows_the_cart() -> None:
    visitor = with_cart((make_variant(), 2))
    CartItem.objects.all().delete()
    visitor.get(CART)
    assert visitor.cookies["cart_items"].value == ""


@pytest.mark.both_databases
def test_the_cart_takes_a_constant_number_of_statements(django_assert_max_num_queries: Any) -> None:
    visitor = with_cart(*((make_variant(), 1) for _ in range(12)))
    with django_assert_max_num_queries(30):
        visitor.get(CART)
