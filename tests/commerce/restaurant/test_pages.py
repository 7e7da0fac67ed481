"""The public pages and the admin of the restaurant."""

import pytest
from django.test import Client
from django.urls import reverse

from cms_api.flags.services import set_setting
from commerce.restaurant.demo import load
from commerce.restaurant.models import MenuCart, MenuCartItem, MenuItem, RestaurantOrder
from commerce.restaurant.selectors.orders import ORDER_LINK
from commerce.restaurant.types.orders import OrderStatus
from tests.commerce.restaurant.builders import GROUPS, make_dish, make_order, make_zone, open_always, option


def test_the_menu_shows_dishes(client: Client) -> None:
    make_dish("Pizza", allergens=["gluten"], diets=["vegan"])
    make_dish("Secret", is_visible=False)
    page = client.get("/menu").content.decode()
    assert "Pizza" in page
    assert "Contains: Gluten" in page
    assert '"@type": "Menu"' in page or '"@type":"Menu"' in page
    assert "Secret" not in page


@pytest.mark.both_databases
def test_ordering_without_scripts(client: Client) -> None:
    open_always()
    dish = make_dish("Pizza", groups=GROUPS)
    assert "Large" in client.get(f"/menu/items/{dish.pk}").content.decode()
    group = dish.groups.get(name="Size").pk
    added = client.post("/menu/cart/add", {"item": dish.pk, f"group-{group}": option(dish, "Large"), "quantity": "2"})
    assert added.status_code == 302
    assert client.cookies["menu_cart_items"].value == "2"
    page = client.get("/menu/checkout").content.decode()
    assert "As soon as possible" in page
    sent = {
        "fulfillment": "pickup",
        "slot": "asap",
        "name": "Dana Reyes",
        "email": "dana@example.com",
        "tip": "10",
        "payment_method": "at_store",
        "total_cents": "2860",
    }
    assert "The total has changed" in client.post("/menu/checkout", sent | {"total_cents": "1"}).content.decode()
    placed = client.post("/menu/checkout", sent)
    order = RestaurantOrder.objects.get()
    assert placed["Location"] == ORDER_LINK.path(order)
    assert order.tip_cents == 260
    shown = client.get(placed["Location"])
    assert "We&#x27;ve received your order" in shown.content.decode() or "We've received your order" in shown.content.decode()


def test_a_delivery_needs_an_address(client: Client) -> None:
    open_always()
    make_zone()
    client.post("/menu/cart/add", {"item": make_dish().pk})
    sent = {"fulfillment": "delivery", "slot": "asap", "name": "Dana", "email": "dana@example.com", "payment_method": "at_store"}
    assert client.post("/menu/checkout", sent).status_code == 422
    address = {"country": "US", "street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301"}
    sent |= {"phone": "802", **{f"delivery-{name}": value for name, value in address.items()}}
    assert client.post("/menu/checkout", sent).status_code == 302
    assert RestaurantOrder.objects.get().delivery_fee_cents == 300


@pytest.mark.both_databases
def test_errors_are_listed_in_the_order_of_the_page(client: Client) -> None:
    open_always()
    set_setting(key="restaurant.dine_in", value=True)
    client.post("/menu/cart/add", {"item": make_dish().pk})

    def errors(**sent: str) -> list[str]:
        answer = client.post("/menu/checkout", {"email": "", "slot": "1", **sent})
        assert answer.status_code == 422
        return [sentence for sentence, _ in answer.context["errors"]]

    time = "This time is no longer available. Choose another."
    contact = ["Enter your name.", "Enter your email address."]
    pay = "Choose how you would like to pay."
    assert errors(fulfillment="pickup", payment_method="at_store") == [time, *contact]
    assert errors(fulfillment="dine_in") == ["Enter your table.", time, *contact, pay]
    assert errors(fulfillment="delivery", **{"delivery-country": "US"}) == [
        "Enter an address.",
        "Enter a city.",
        "Enter a state.",
        "Enter a ZIP code.",
        time,
        *contact,
        "Enter your phone number.",
        pay,
    ]
    assert errors(fulfillment="drone")[0].startswith("Select a valid choice")
    assert not RestaurantOrder.objects.exists()


def test_hostile_input_is_refused(client: Client) -> None:
    item = {"item": str(make_dish().pk)}
    for wrong in ({"item": "0"}, {"item": "9" * 30}, {"quantity": "1.5"}, {"quantity": "-1"}, {"group-1": "x"}, {"notes": "\0"}):
        assert client.post("/menu/cart/add", {**item, **wrong}).status_code == 422, wrong
    assert client.post("/menu/cart/add", {}).status_code == 422
    assert not MenuCartItem.objects.exists()


def test_another_site_cannot_fill_a_cart(client: Client) -> None:
    for origin in ("https://evil.example", "http://[::1", "null", "https://testserver.evil.example", "ftp://testserver"):
        assert client.post("/menu/cart/add", {"item": make_dish().pk}, HTTP_ORIGIN=origin).status_code == 403
    assert not MenuCart.objects.exists()


@pytest.mark.both_databases
def test_the_kitchen_lists_open_orders_and_pauses(admin_client: Client) -> None:
    order = make_order(notes="No cutlery")
    for name in ("kitchen", "kitchen_orders"):
        page = admin_client.get(reverse(f"restaurant_orders:{name}")).content.decode()
        assert order.number in page
        assert "No cutlery" in page
    for action, status in (("prepare", "preparing"), ("ready", "ready"), ("complete", "completed")):
        admin_client.post(reverse(f"restaurant_orders:{action}", args=[order.pk]), {"method": "cash"})
        order.refresh_from_db()
        assert order.status == status
    admin_client.post(reverse("restaurant_orders:kitchen"), {"paused": "1"})
    assert "taking orders at the moment" in admin_client.get("/menu").content.decode()


def test_the_demo_is_shown_in_the_admin(admin_client: Client) -> None:
    load(1, lambda count: None)
    counts = {status: RestaurantOrder.objects.filter(status=status).count() for status in OrderStatus}
    assert min(counts.values()) >= 3
    assert MenuItem.objects.count() == 15
    for name in ("restaurant_orders", "dishes", "special_days"):
        assert admin_client.get(reverse(f"{name}:index")).status_code == 200
    dish = MenuItem.objects.get(name="Margherita")
    assert "Extra mozzarella" in admin_client.get(reverse("dishes:edit", args=[dish.pk])).content.decode()
    order = RestaurantOrder.objects.filter(status="completed").first()
    assert order is not None
    assert admin_client.get(reverse("restaurant_orders:inspect", args=[order.pk])).status_code == 200
