"""The kitchen: buttons that are offered and refused, and the pause."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.flags.selectors import get_setting, site_formats
from cms_api.flags.services import set_setting
from commerce.restaurant.models import RestaurantOrder
from commerce.restaurant.services.kitchen import cancel_order, complete_order, mark_ready, start_preparing
from commerce.restaurant.types.orders import OrderStatus
from tests import people

from .builders import ADDRESS, last_slot, make_order, make_zone, open_always

pytestmark = pytest.mark.django_db

ORDERS = "/admin/restaurant/orders/"
KITCHEN = f"{ORDERS}kitchen/"


def of_status(status: OrderStatus) -> RestaurantOrder:
    order = make_order(payment_method="online" if status == OrderStatus.PENDING else "at_store")
    if status in {OrderStatus.PREPARING, OrderStatus.COMPLETED}:
        start_preparing(order=order)
    if status == OrderStatus.READY:
        mark_ready(order=order)
    if status == OrderStatus.COMPLETED:
        complete_order(order=order)
    if status == OrderStatus.CANCELLED:
        cancel_order(order=order)
    order.refresh_from_db()
    assert order.status == status
    return order


OFFERED = {
    OrderStatus.PENDING: {"cancel"},
    OrderStatus.PLACED: {"prepare", "ready", "cancel"},
    OrderStatus.PREPARING: {"ready", "complete", "cancel"},
    OrderStatus.READY: {"complete", "cancel"},
    OrderStatus.COMPLETED: set(),
    OrderStatus.CANCELLED: set(),
}
ACTIONS = {"prepare": "preparing", "ready": "ready", "complete": "completed", "cancel": "cancelled"}


@pytest.mark.parametrize("status", OFFERED)
@pytest.mark.both_databases
def test_buttons_are_offered_where_they_work(status: OrderStatus, admin_client: Client) -> None:
    order = of_status(status)
    page = admin_client.get(f"{ORDERS}inspect/{order.pk}/").content.decode()
    assert {action for action in ACTIONS if f"{ORDERS}{action}/{order.pk}/" in page} == OFFERED[status]
    in_kitchen = admin_client.get(KITCHEN).content.decode()
    assert (order.number in in_kitchen) is (status in {OrderStatus.PLACED, OrderStatus.PREPARING, OrderStatus.READY})
    # Others are refused.
    for action in ACTIONS.keys() - OFFERED[status]:
        admin_client.post(f"{ORDERS}{action}/{order.pk}/", {"method": "cash"})
        order.refresh_from_db()
        assert order.status == status


@pytest.mark.parametrize("method", ["", "shells", "\0", "stripe"])
def test_an_order_is_not_completed_by_a_method_that_makes_no_sense(method: str, admin_client: Client) -> None:
    order = of_status(OrderStatus.READY)
    admin_client.post(f"{ORDERS}complete/{order.pk}/", {"method": method})
    order.refresh_from_db()
    assert (order.status, order.paid_at) == ("ready", None)


def test_the_audit_log_says_who_paused(sign_in: Callable[[Any], Client], admin_client: Client) -> None:
    mallory = people.mallory_manager()
    manager = sign_in(mallory)
    for paused in ("1", "1", "0"):
        manager.post(KITCHEN, {"paused": paused})
    entries = ModelLogEntry.objects.filter(action__startswith="flags.").order_by("pk")
    assert [(entry.label, entry.user, entry.message) for entry in entries] == [
        ("restaurant.is_paused", mallory, "Switched on"),
        ("restaurant.is_paused", mallory, "Switched off"),
    ]
    assert "restaurant.is_paused" in admin_client.get("/admin/reports/site-history/").content.decode()


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    order = make_order()
    editor = sign_in(people.bob())
    for path in (ORDERS, KITCHEN, f"{KITCHEN}orders/", f"{ORDERS}inspect/{order.pk}/"):
        assert order.number not in editor.get(path, follow=True).content.decode()
    editor.post(KITCHEN, {"paused": "1"})
    for action in ACTIONS:
        editor.post(f"{ORDERS}{action}/{order.pk}/", {"method": "cash"})
    order.refresh_from_db()
    assert (order.status, get_setting("restaurant.is_paused")) == ("placed", False)


def test_nobody_sees_the_restaurant_in_the_menu_without_its_permission(sign_in: Callable[[Any], Client]) -> None:
    assert KITCHEN not in sign_in(people.bob()).get("/admin/").content.decode()
    assert KITCHEN in sign_in(people.mallory_manager()).get("/admin/").content.decode()


def test_a_pause_by_the_setting_shows_in_the_kitchen(admin_client: Client) -> None:
    set_setting(key="restaurant.is_paused", value=True)
    page = admin_client.get(KITCHEN).content.decode()
    assert "Resume orders" in page
    assert "Pause orders" not in page


def test_the_kitchen_shows_where_and_when_on_the_clock_of_the_site(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Asia/Tokyo")
    make_zone()
    open_always()
    make_order(fulfillment="delivery", delivery_address=ADDRESS, phone="802", slot=last_slot())
    later = RestaurantOrder.objects.get()
    local = later.wanted_at.astimezone(ZoneInfo("Asia/Tokyo"))
    page = admin_client.get(KITCHEN).content.decode()
    for words in ("14 Canal Street", f"{local:%A, %B} {local.day}", f"{site_formats().time(local)}</span>"):
        assert words in page
    now = timezone.now()
    RestaurantOrder.objects.update(wanted_at=now)
    assert f"{now.astimezone(ZoneInfo('Asia/Tokyo')):%A, %B}" not in admin_client.get(KITCHEN).content.decode()
