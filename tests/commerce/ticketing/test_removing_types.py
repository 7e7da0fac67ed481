"""A ticket type that people rely on is not deleted; what is reserved or waited for ends first."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, unpublish_item
from commerce.ticketing.models import Reservation, ReservedSeats, TicketOrder, TicketSales, TicketType, WaitingEntry
from commerce.ticketing.selectors.orders import ORDER_LINK
from commerce.ticketing.selectors.seats import ORDERED, RESERVED, WAITED_FOR
from commerce.ticketing.services.buying import ENDED, NOT_ON_SALE, give_up_reservation, place_order
from commerce.ticketing.services.sales import delete_sales, save_sales
from commerce.ticketing.services.waiting import leave_waiting_list
from tests.visitor import hidden

from .admin_builders import SALES, sales_form
from .builders import adult, buyer, make_order, make_reservation, make_sales, pay, type_of, wait
from .page_builders import checkout_path, text_of
from .refusals import refused

CHILD = adult(name="Child", price_cents=1000)


def remove_adults(event: ContentItem) -> TicketSales:
    return save_sales(event=event, values={}, quotas=(), types=[{**CHILD, "id": type_of(event, "Child").pk}])


def numbers() -> list[int]:
    return [model.objects.count() for model in (TicketType, Reservation, ReservedSeats, WaitingEntry)]


def reserve_some() -> ContentItem:
    event = make_sales(adult(size=2), CHILD)
    make_reservation(event, Adult=2)
    return event


def offer_some() -> ContentItem:
    event = reserve_some()
    wait(event)
    give_up_reservation(reservation=Reservation.objects.get(event=event))
    assert WaitingEntry.objects.get().status == "offered"
    return event


def wait_for_some() -> ContentItem:
    event = make_sales(adult(size=0), CHILD)
    wait(event)
    return event


def order_some() -> ContentItem:
    event = make_sales(adult(), CHILD)
    make_order(event)
    return event


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("begin", "sentence"),
    [(reserve_some, RESERVED), (offer_some, RESERVED), (wait_for_some, WAITED_FOR), (order_some, ORDERED)],
)
def test_it_works(begin: Callable[[], ContentItem], sentence: str, admin_client: Client) -> None:
    event = begin()
    before = numbers()
    words = sentence.format("Adult")
    assert refused(remove_adults, event) == {"types": [words]}
    assert refused(delete_sales, event=event) == {"event": [words]}
    child = {"id": type_of(event, "Child").pk, "name": "Child", "price_cents": "10"}
    answer: Any = admin_client.post(f"{SALES}edit/{event.pk}/", sales_form(child))
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == ["types"]
    assert words in unescape(answer.content.decode())
    answer = admin_client.post(f"{SALES}delete/{event.pk}/", follow=True)
    assert words in unescape(answer.content.decode())
    assert numbers() == before
    # Another type that nobody relies on can be deleted.
    save_sales(event=event, values={}, quotas=(), types=[{"id": type_of(event).pk}])
    assert list(TicketType.objects.values_list("name", flat=True)) == ["Adult"]


@pytest.mark.both_databases
def test_what_has_ended_by_the_clock_does_not_count(later: Callable[..., None]) -> None:
    event = make_sales(adult(size=2, pricing="free"), adult(name="Child", pricing="free"))
    both = make_reservation(event, Adult=1, Child=1)
    offered = offer_some()
    later(hours=25)
    remove_adults(event)
    # Otherwise a late checkout would get one of the two tickets that it was for.
    assert refused(place_order, reservation=both, values=buyer(total_cents=0)) == {"reservation": [ENDED]}
    remove_adults(offered)
    assert not WaitingEntry.objects.exists()
    delete_sales(event=event)
    assert list(TicketSales.objects.values_list("pk", flat=True)) == [offered.pk]


def test_somebody_who_left_the_list_does_not_count() -> None:
    event = wait_for_some()
    leave_waiting_list(entry=WaitingEntry.objects.get())
    remove_adults(event)
    assert not TicketType.objects.filter(name="Adult").exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda types: types.delete(), ENDED),
        (lambda types: types.update(is_offered=False), NOT_ON_SALE),
        (lambda types: types.update(access_code="FRIENDS"), NOT_ON_SALE),
        (lambda types: types.update(start="2020-01-01T19:00:00"), NOT_ON_SALE),
    ],
)
def test_the_checkout_says_at_once_that_the_tickets_are_gone(change: Callable[[Any], Any], words: str, client: Client) -> None:
    event = make_sales(adult(), CHILD)
    reservation = make_reservation(event, Adult=2)
    path = checkout_path(reservation)
    opened = hidden(client, path)
    change(TicketType.objects.filter(name="Adult"))
    answers = [client.get(path)]
    answers += [
        client.post(path, {**opened, "name": "Dana", "email": "dana@example.com", **more}) for more in ({}, {"_apply": "1"})
    ]
    assert [answer.status_code for answer in answers] == [404, 422, 422]
    for answer in answers:
        assert words in text_of(answer)
        assert "Choose tickets" in text_of(answer)
    assert not TicketOrder.objects.exists()


@pytest.mark.parametrize("change", [delete_item, unpublish_item], ids=["deleted", "unpublished"])
def test_the_checkout_of_an_event_that_is_gone_says_so(change: Callable[..., Any], client: Client) -> None:
    event = make_sales()
    path = checkout_path(make_reservation(event))
    opened = hidden(client, path)
    event.refresh_from_db()
    change(item=event)
    for answer in (client.get(path), client.post(path, {**opened, "name": "Dana", "email": "dana@example.com"})):
        assert answer.status_code in {404, 422}
        assert "Your reservation has ended" in text_of(answer)
    assert not TicketOrder.objects.exists()


def test_an_order_can_be_paid_after_its_tickets_are_off_sale(client: Client) -> None:
    event = make_sales()
    order = make_order(event)
    TicketType.objects.update(is_offered=False)
    assert order.reservation
    assert client.get(checkout_path(order.reservation)).headers["Location"] == ORDER_LINK.path(order)
    assert pay(order).status == "paid"
