"""Addresses, forms and counted statements for the tests of the admin."""

from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.ticketing.models import AttendeeTicket, TicketOrder

SALES, ORDERS, ATTENDEES = "/admin/tickets/sales/", "/admin/tickets/orders/", "/admin/tickets/attendees/"
WAITING, PROMOS = "/admin/tickets/waiting/", "/admin/tickets/promo-codes/"

TYPE = {
    "name": "Adult",
    "description": "",
    "pricing": "fixed",
    "price_cents": "32",
    "suggested_cents": "",
    "size": "",
    "quota": "",
    "is_offered": "on",
    "tax_class": "standard",
    "sales_start": "",
    "sales_end": "",
    "closes_minutes": "0",
    "min_per_order": "1",
    "max_per_order": "10",
    "access_code": "",
    "has_waiting_list": "on",
}


def rows(name: str, kind: str, *values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a stream: each row may have an `id`."""
    found: dict[str, Any] = {f"{name}-count": str(len(values))}
    for place, each in enumerate(values):
        row = dict(each)
        found |= {
            f"{name}-{place}-deleted": "",
            f"{name}-{place}-order": str(place),
            f"{name}-{place}-type": kind,
            f"{name}-{place}-id": str(row.pop("id", "")),
        }
        found |= {f"{name}-{place}-value-{key}": value for key, value in row.items() if value is not None}
    return found


def sales_form(*types: dict[str, Any], quotas: Any = (), questions: Any = (), **more: Any) -> dict[str, Any]:
    """The fields of the form of ticket sales; each type is an adult's with changes."""
    return {
        **rows("types", "type", *({**TYPE, **each} for each in types)),
        **rows("quotas", "quota", *quotas),
        **rows("questions_editor", "text", *questions),
        "note": "",
        **more,
    }


def ticket_of(order: TicketOrder) -> AttendeeTicket:
    """The first ticket of an order."""
    found = order.tickets.order_by("pk").first()
    assert found
    return found


def statements(client: Client, path: str) -> int:
    """How many statements a page takes the second time."""
    assert client.get(path).status_code == 200
    with CaptureQueriesContext(connection) as caught:
        assert client.get(path).status_code == 200
    return len(caught)
