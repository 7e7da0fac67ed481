"""Dishes and options that staff delete, hide or sell out while customers have them in a cart, or are about to pay for them."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.payments.services import start_payment
from commerce.restaurant.models import MenuCart, MenuCartItem, MenuItem, Option, RestaurantOrder
from commerce.restaurant.selectors.carts import Chosen, items_of
from commerce.restaurant.selectors.orders import ORDER_LINK
from commerce.restaurant.services import carts, delete_dish, delete_zone, save_dish, switch_dish
from commerce.restaurant.services.carts import add_to_cart, open_cart
from commerce.restaurant.services.placing import CHANGED, place_order
from commerce.restaurant.types.orders import PAYABLE
from commerce.sales.views import EMPTY
from tests.visitor import hidden

from .builders import ADDRESS, GROUPS, make_cart, make_dish, make_order, make_zone, open_always, option, values

pytestmark = pytest.mark.django_db(transaction=True)

CHECKOUT = "/menu/checkout"
SENT = {"fulfillment": "pickup", "slot": "asap", "name": "Dana", "email": "dana@example.com", "payment_method": "at_store"}


@pytest.fixture(autouse=True)
def ready() -> None:
    open_always()
    set_setting(key="payments.allow_test_payments", value=True)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def visit(cart: MenuCart) -> Client:
    visitor = Client()
    visitor.cookies["menu_cart"] = cart.token
    return visitor


def test_a_dish_that_is_deleted_meanwhile_is_said_also_if_it_was_free() -> None:
    """The total is the same without it."""
    bread, soup = make_dish("Bread", price=0), make_dish("Soup")
    visitor = visit(make_cart((bread, 1), (soup, 1)))
    opened = hidden(visitor, CHECKOUT)
    delete_dish(dish=bread)
    answer = visitor.post(CHECKOUT, {**SENT, **opened})
    assert (answer.status_code, RestaurantOrder.objects.count()) == (422, 0)
    assert CHANGED in text(answer)
    assert "Bread" not in text(answer)
    assert visitor.post(CHECKOUT, {**SENT, **hidden(visitor, CHECKOUT)}).status_code == 302
    assert [item.name for item in RestaurantOrder.objects.get().items.all()] == ["Soup"]


@pytest.mark.both_databases
def test_a_dish_that_is_deleted_while_somebody_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deletion waits until it is in the cart, and takes it out again."""
    soup, cart = make_dish("Soup"), open_cart()
    details = carts.with_details

    def delete() -> None:
        delete_dish(dish=soup)
        connection.close()

    deletion = Thread(target=delete)

    def read(dishes: Any) -> Any:
        found = list(details(dishes))
        deletion.start()
        # Half a second is enough to delete it, if nothing prevents that.
        deletion.join(0.5)
        return type("Dishes", (), {"first": lambda self: found[0]})()

    monkeypatch.setattr(carts, "with_details", read)
    add_to_cart(cart=cart, item=soup)
    deletion.join(20)
    assert (MenuItem.objects.count(), MenuCartItem.objects.count()) == (0, 0)


def test_a_checkout_of_which_nothing_is_left_says_so() -> None:
    soup = make_dish("Soup")
    visitor = visit(make_cart((soup, 1)))
    opened = hidden(visitor, CHECKOUT)
    delete_dish(dish=soup)
    answer = visitor.post(CHECKOUT, {**SENT, **opened}, follow=True)
    assert EMPTY in text(answer)
    assert not RestaurantOrder.objects.exists()


@pytest.mark.both_databases
def test_a_dish_that_is_deleted_while_the_order_is_placed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cart = make_cart()

    def read_before_it_is_deleted(cart: MenuCart) -> list[Chosen]:
        found = items_of(cart)
        MenuItem.objects.all().delete()
        return found

    monkeypatch.setattr("commerce.restaurant.services.placing.items_of", read_before_it_is_deleted)
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=values())
    assert refusal.value.errors == {"items": [CHANGED]}


def sell_out_option(dish: MenuItem) -> None:
    Option.objects.filter(group__item=dish, name="Large").update(is_available=False)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda dish: delete_dish(dish=dish), "Pizza is no longer on the menu."),
        (lambda dish: save_dish(dish=dish, values={"is_visible": False}), "Pizza is no longer on the menu."),
        (lambda dish: switch_dish(dish=dish, available=False), "Pizza is sold out."),
        (sell_out_option, "Large is sold out."),
        (lambda dish: Option.objects.filter(group__item=dish, name="Large").delete(), "This choice is no longer available."),
    ],
    ids=["deleted", "hidden", "sold out", "option sold out", "option deleted"],
)
def test_an_order_is_not_paid_for_what_cannot_be_made(change: Callable[[MenuItem], Any], said: str, client: Client) -> None:
    pizza = make_dish("Pizza", groups=GROUPS)
    cart = make_cart((make_dish("Soup"), 1))
    add_to_cart(cart=cart, item=pizza, options=[option(pizza, "Large")])
    order = place_order(cart=cart, values=values(payment_method="online"))
    change(pizza)
    answer = client.post(f"{ORDER_LINK.path(order)}pay", follow=True)
    assert f"{said} Please order again." in text(answer)
    order.refresh_from_db()
    assert order.status == "pending"


def test_an_order_of_what_is_on_the_menu_can_be_paid() -> None:
    pizza = make_dish("Pizza", groups=GROUPS)
    cart = make_cart((make_dish("Soup"), 1))
    add_to_cart(cart=cart, item=pizza, options=[option(pizza, "Large")])
    order = place_order(cart=cart, values=values(payment_method="online"))
    save_dish(dish=pizza, values={"price_cents": 9900})
    assert start_payment(payable=PAYABLE, record_id=order.pk).amount_cents == order.total_cents


def test_a_zone_that_is_deleted_meanwhile_is_said() -> None:
    zone = make_zone()
    delivery = {"fulfillment": "delivery", "phone": "802", "delivery_address": ADDRESS, "payment_method": "online"}
    placed = make_order(**delivery)
    cart = make_cart()
    delete_zone(zone=zone)
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=values(**delivery))
    assert refusal.value.errors == {"delivery_address": ["We don't deliver to this address."]}
    # An order keeps what was agreed to.
    assert start_payment(payable=PAYABLE, record_id=placed.pk).amount_cents == placed.total_cents
