"""Buyers and staff who change the same orders: on PostgreSQL, none waits for another who waits for them."""

import threading
from typing import Any

import pytest
from django.db import connection, connections

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.core.errors import Invalid
from commerce.payments.services import start_payment
from commerce.ticketing.models import TicketOrder
from commerce.ticketing.services import buying, changes
from commerce.ticketing.services.buying import place_order
from tests.client import together
from tests.commerce.sales.kinds import open_business
from tests.waiting import Meeting, until, waiting

from .builders import adult, buyer, make_order, make_promo, make_sales

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def test_two_buyers_exchange_their_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [make_promo("SPRING"), make_promo("SUMMER")]
    orders = [make_order(make_sales(), code=code.code) for code in codes]
    Meeting().after(monkeypatch, buying, "give_up_use")

    def again(number: int) -> TicketOrder:
        reservation = orders[number].reservation
        assert reservation
        return place_order(reservation=reservation, values=buyer(discount_code=codes[1 - number].code))

    assert [order.promo_code for order in together(again, 2)] == ["SUMMER", "SPRING"]
    for code in codes:
        code.refresh_from_db()
        assert code.used == 1


def move(event: ContentItem) -> None:
    value = event.data["event_date"]
    moved = {"start": f"{value['start'][:11]}21:00", "tz": value["tz"]}
    update_item(item=ContentItem.objects.get(pk=event.pk), values={"data": {"event_date": moved}})


@pytest.mark.skipif(connection.vendor != "postgresql", reason="On SQLite nobody orders while an event is moved.")
def test_an_event_is_moved_while_somebody_who_has_just_ordered_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales(adult(size=50))
    make_order(event)
    lock_sales, orders, payers = changes.lock_sales, [], []

    def order() -> None:
        orders.append(make_order(ContentItem.objects.get(pk=event.pk), buyer_values={"email": "late@example.com"}).pk)
        connections.close_all()

    def pay() -> None:
        start_payment(payable="ticket_order", record_id=orders[0])
        connections.close_all()

    def locked(event_id: int) -> Any:
        """Once the orders are locked, somebody orders; once the sales are, that buyer goes on to pay."""
        if payers:
            return lock_sales(event_id)
        run(order).join(20)
        found = lock_sales(event_id)
        payers.append(run(pay))
        until(lambda: waiting() >= 1)
        return found

    monkeypatch.setattr(changes, "lock_sales", locked)
    move(event)
    payers[0].join(20)
    starts = {order.start[11:16] for order in TicketOrder.objects.filter(event_id=event.pk)}
    assert (len(orders), payers[0].is_alive(), starts) == (1, False, {"21:00"})


@pytest.mark.skipif(connection.vendor != "postgresql", reason="On SQLite nobody orders while an event is moved.")
def test_an_event_is_not_moved_while_people_go_on_ordering(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales(adult(size=50))
    lock_sales = changes.lock_sales

    def order() -> None:
        make_order(ContentItem.objects.get(pk=event.pk))
        connections.close_all()

    def locked(event_id: int) -> Any:
        run(order).join(20)
        return lock_sales(event_id)

    monkeypatch.setattr(changes, "lock_sales", locked)
    with pytest.raises(Invalid) as refusal:
        move(event)
    assert refusal.value.errors == {"item": [changes.MANY_ORDER]}
    assert TicketOrder.objects.count() == changes.MAX_ATTEMPTS


def run(work: Any) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread
