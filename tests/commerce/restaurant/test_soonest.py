"""Orders "as soon as possible" near the end of an opening period: for the time that the page showed, and never after closing."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.payments.models import Payment
from commerce.payments.services import start_payment
from commerce.payments.services.outcomes import apply_outcome
from commerce.payments.types import Outcome, PaymentStatus
from commerce.restaurant.models import RestaurantOrder
from commerce.restaurant.selectors.hours import offered_slots
from commerce.restaurant.services import save_opening
from commerce.restaurant.services.paying import ORDERS
from commerce.restaurant.services.placing import place_order
from commerce.restaurant.types.orders import PAYABLE
from tests.visitor import hidden

from .builders import make_cart, make_dish, make_order, values

pytestmark = pytest.mark.django_db(transaction=True)

#: On a Monday evening in Paris; the kitchen closes at ten.
CLOSES = datetime(2027, 5, 3, 20, tzinfo=UTC)

Clock = Callable[[datetime], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    set_setting(key="restaurant.lead_minutes", value=20)
    for day in range(7):
        save_opening(values={"weekday": day, "opens": time(17), "closes": time(22)})
    return lambda now: monkeypatch.setattr(timezone, "now", lambda: now)


def ago(**units: int) -> datetime:
    return CLOSES - timedelta(**units)


def refusal_of(action: Callable[..., Any], **options: Any) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as refusal:
        action(**options)
    return dict(refusal.value.errors)


def test_the_kitchen_closes_while_the_page_is_open(clock: Clock) -> None:
    clock(ago(minutes=50))
    cart, soonest = make_cart(), offered_slots()[0]
    clock(ago(minutes=10))
    refused = refusal_of(place_order, cart=cart, values=values(soonest=soonest))
    assert refused == {"slot": ["The soonest time is May 4, 2027, 5:00\xa0PM now. Review your order and try again."]}
    assert not RestaurantOrder.objects.exists()
    assert place_order(cart=cart, values=values(soonest=offered_slots()[0])).wanted_at == CLOSES + timedelta(hours=19)


def test_it_may_be_somewhat_later(clock: Clock) -> None:
    clock(ago(hours=3))
    cart, soonest = make_cart(), offered_slots()[0]
    clock(ago(hours=3) + timedelta(minutes=20))
    assert place_order(cart=cart, values=values(soonest=soonest)).wanted_at == soonest + timedelta(minutes=15)


def test_the_page_posts_the_time_that_it_showed(clock: Clock) -> None:
    clock(ago(minutes=50))
    client = Client()
    client.post("/menu/cart/add", {"item": make_dish().pk, "quantity": "1"})
    opened = hidden(client, "/menu/checkout")
    clock(ago(minutes=10))
    sent = {**values(), **opened, "place": "1"}
    assert "The soonest time is May 4, 2027" in client.post("/menu/checkout", sent).content.decode()
    assert not RestaurantOrder.objects.exists()
    assert client.post("/menu/checkout", {**sent, **hidden(client, "/menu/checkout")}).status_code == 302
    assert client.post("/menu/checkout", {**sent, "soonest": "9" * 40}).status_code in {302, 422}


def order_online() -> RestaurantOrder:
    return place_order(cart=make_cart(), values=values(payment_method="online"))


def open_page(order: RestaurantOrder) -> Payment:
    return start_payment(payable=PAYABLE, record_id=order.pk)


def test_it_is_paid_while_it_can_be_made(clock: Clock) -> None:
    """The last orders are for a quarter of an hour before closing, and it takes twenty minutes."""
    clock(ago(minutes=80))
    order = order_online()
    assert order.wanted_at == ago(minutes=60)
    clock(ago(minutes=40))
    page = open_page(order)
    clock(ago(minutes=34))
    assert refusal_of(open_page, order=order) == {"status": [ORDERS.not_in_time]}
    clock(ago(minutes=20))
    assert apply_outcome(page.pk, Outcome(PaymentStatus.SUCCEEDED)).unapplied == ""
    order.refresh_from_db()
    assert order.status == "placed"


def test_money_that_arrives_after_closing_waits(clock: Clock) -> None:
    clock(ago(minutes=50))
    order = order_online()
    page = open_page(order)
    apply_outcome(page.pk, Outcome(PaymentStatus.PROCESSING))
    clock(CLOSES + timedelta(minutes=20))
    assert apply_outcome(page.pk, Outcome(PaymentStatus.SUCCEEDED)).unapplied == ORDERS.not_in_time


def test_one_that_is_ordered_before_opening(clock: Clock) -> None:
    clock(ago(hours=9))
    order = order_online()
    assert order.wanted_at == ago(hours=5)
    clock(ago(hours=8))
    assert open_page(order).status == "open"


def test_nights_are_one_opening_period(clock: Clock) -> None:
    make_order()
    for day in range(7):
        save_opening(values={"weekday": day, "opens": time(22), "closes": time(17)})
    clock(ago(minutes=50))
    order = order_online()
    clock(ago(minutes=-60))
    assert open_page(order).status == "open"
