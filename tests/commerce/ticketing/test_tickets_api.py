"""Ticket orders and tickets over the API: shapes, filters, check-in, and hostile values."""

from collections.abc import Callable
from typing import Any

import pytest

from commerce.ticketing.models import TicketOrder
from commerce.ticketing.resources.orders import AttendeeTicketResource, TicketOrderDetailResource
from commerce.ticketing.services.checking_in import check_in
from commerce.ticketing.services.ending import cancel_order, void_tickets
from tests.builders import make_token
from tests.client import Api
from tests.people import alice

from .builders import WEEKLY, adult, make_order, make_promo, make_sales, paid_order, starts, type_of

ORDERS, TICKETS = "/ticketing/orders", "/ticketing/tickets"


def found(api: Api, path: str, **query: Any) -> list[int]:
    return sorted(row["id"] for row in api.data(path, per_page=100, **query))


@pytest.mark.both_databases
def test_it_works(tickets_api: Api) -> None:
    make_promo()
    event = make_sales(adult(), repeat=WEEKLY)
    start = starts(event)[1]
    order = paid_order(event, start, code="SPRING10", Adult=2)
    data = tickets_api.data(f"{ORDERS}/{order.pk}")
    listed = {key: value for key, value in data.items() if key != "tickets"}
    assert tickets_api.data(ORDERS) == [listed]
    assert set(data) == set(TicketOrderDetailResource.example)
    assert (
        listed.items()
        >= {
            "number": "TIX-1001",
            "status": "paid",
            "event_id": event.pk,
            "occurrence_start": start,
            "email": "dana@example.com",
            "name": "Dana Reyes",
            "subtotal_cents": 6400,
            "discount_cents": 640,
            "fee_cents": 0,
            "tax_cents": 0,
            "total_cents": 5760,
            "currency": "usd",
            "promo_code": "SPRING10",
            "ticket_count": 2,
        }.items()
    )
    assert data["items"] == [
        {
            "ticket_type_id": type_of(event).pk,
            "name": "Adult",
            "quantity": 2,
            "unit_price_cents": 3200,
            "total_cents": 6400,
        }
    ]
    assert data["event"].items() >= {"id": event.pk, "title": "Open rehearsal", "slug": event.slug, "venue": "The mill"}.items()
    ticket = data["tickets"][0]
    assert set(ticket) == set(AttendeeTicketResource.example)
    assert ticket == tickets_api.data(f"{TICKETS}/{ticket['id']}") == tickets_api.data(f"{TICKETS}/{ticket['code'].lower()}")
    assert ticket == tickets_api.data(f"{TICKETS}/{ticket['code'][:4]}\N{EN DASH}{ticket['code'][4:]}\N{NO-BREAK SPACE}")
    assert found(tickets_api, TICKETS) == sorted(each["id"] for each in data["tickets"])


@pytest.mark.both_databases
def test_filters_of_orders(tickets_api: Api) -> None:
    one, other = make_sales(title="One"), make_sales(title="Other")
    paid, pending = paid_order(one), make_order(other, buyer_values={"email": "noor@example.com"})
    cancelled = make_order(one)
    cancel_order(order=cancelled)
    TicketOrder.objects.filter(pk=paid.pk).update(created_at="2026-01-01T12:00:00Z")
    assert found(tickets_api, ORDERS, status="paid") == [paid.pk]
    assert found(tickets_api, ORDERS, status="cancelled") == [cancelled.pk]
    assert found(tickets_api, ORDERS, event_id=other.pk) == [pending.pk]
    assert found(tickets_api, ORDERS, email="NOOR@example.com") == [pending.pk]
    assert found(tickets_api, ORDERS, since="2026-01-02") == [pending.pk, cancelled.pk]
    assert found(tickets_api, ORDERS, event_id=10**12) == []


@pytest.mark.both_databases
def test_filters_of_tickets(tickets_api: Api) -> None:
    one, other = make_sales(title="One"), make_sales(title="Other")
    first = paid_order(one).tickets.get()
    second = paid_order(other, buyer_values={"email": "noor@example.com"}).tickets.get()
    check_in(ticket=first, user=alice())
    void_tickets(order=second.order, tickets=[second.pk])
    assert found(tickets_api, TICKETS, status="checked_in") == [first.pk]
    assert found(tickets_api, TICKETS, status="void", event_id=other.pk) == [second.pk]
    assert found(tickets_api, TICKETS, status="valid") == []
    assert found(tickets_api, TICKETS, order_id=first.order_id) == [first.pk]
    assert found(tickets_api, TICKETS, email="Noor@example.com") == [second.pk]
    assert tickets_api.data(f"{TICKETS}/{first.pk}")["checked_in_by"]["id"] == alice().pk


@pytest.mark.parametrize("path", [ORDERS, TICKETS])
def test_malformed_filters(tickets_api: Api, path: str) -> None:
    for query in ("status=gone", "event_id=x", "event_id=1.5", "email=%00", "sort=name", "cursor=x"):
        assert tickets_api.get(f"{path}?{query}").status_code == 422, query


def test_check_in(tickets_api: Api) -> None:
    ticket = paid_order(make_sales()).tickets.get()
    first = tickets_api.post(f"{TICKETS}/{ticket.code.lower()}/check-in")
    assert (first.status_code, first.json()["meta"]) == (200, {"already_checked_in": False})
    assert first.json()["data"].items() >= {"status": "checked_in", "checked_in_by": None}.items()
    again = tickets_api.post(f"{TICKETS}/{ticket.pk}/check-in")
    assert (again.status_code, again.json()["meta"]) == (200, {"already_checked_in": True})
    assert again.json()["data"] == first.json()["data"]


def test_a_void_ticket_is_refused(tickets_api: Api) -> None:
    ticket = paid_order(make_sales()).tickets.get()
    void_tickets(order=ticket.order, tickets=[ticket.pk])
    response = tickets_api.post(f"{TICKETS}/{ticket.pk}/check-in")
    assert (response.status_code, set(response.json()["errors"])) == (422, {"status"})


@pytest.mark.both_databases
def test_orders_stay_when_their_event_is_deleted(tickets_api: Api) -> None:
    event = make_sales()
    order = paid_order(event)
    pk = event.pk
    event.delete()
    assert tickets_api.data(f"{ORDERS}/{order.pk}")["event"]["id"] == pk
    assert found(tickets_api, TICKETS, event_id=pk) == [order.tickets.get().pk]


def test_abilities(api_on: None) -> None:
    ticket = paid_order(make_sales()).tickets.get()
    reader, scanner = Api(make_token("ticketing:read")), Api(make_token("ticketing:write"))
    assert reader.post(f"{TICKETS}/{ticket.pk}/check-in").status_code == 403
    assert scanner.get(f"{TICKETS}/{ticket.pk}").status_code == 403
    assert scanner.post(f"{TICKETS}/{ticket.pk}/check-in").status_code == 200


def test_the_event_of_an_all_day_date_has_no_start(tickets_api: Api, later: Callable[..., None]) -> None:
    event = make_sales(data={"event_date": {"start": "2031-06-01", "all_day": True}})
    order = paid_order(event)
    assert tickets_api.data(f"{ORDERS}/{order.pk}")["event"]["starts_at"] is None
