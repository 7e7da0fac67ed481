"""Names that visitors enter may not hold a web address: most of them are mailed. Staff and API tokens enter what they like."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.fields.names import WEB_ADDRESS
from cms_api.flags.services import switch_feature
from cms_api.http.current import answering
from commerce.booking.models import Service
from commerce.booking.services.booking import read_customer as read_booking
from commerce.donations.services.giving import MESSAGE_WITH_ADDRESS, read_gift
from commerce.restaurant.services.placing import read_customer as read_diner
from commerce.shop.services.placing import read_customer as read_buyer
from commerce.support.services.opening import read_ticket
from commerce.ticketing.models import AttendeeTicket, TicketOrder, TicketType
from commerce.ticketing.services.transferring import transfer_ticket
from commerce.ticketing.services.waiting import read_entry
from tests import people
from tests.commerce.ticketing.builders import adult, make_order, make_sales

pytestmark = pytest.mark.django_db

BAIT = "Prize at evil.example/x"
TRIBUTE = {"type": "honor", "name": BAIT, "message": f"Look: {BAIT}"}


def order_tickets(**buyer: str) -> TicketOrder:
    return make_order(make_sales(adult(pricing="free")), Adult=1, buyer_values=buyer)


def a_ticket() -> AttendeeTicket:
    return order_tickets().tickets.get()


READERS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "accounts": (lambda: create_member(email="mia@example.com", password="", name=BAIT), ("name",)),
    "booking": (lambda: read_booking(Service(), {"name": BAIT}), ("name",)),
    "donations": (
        lambda: read_gift({"first_name": BAIT, "last_name": BAIT, "tribute": TRIBUTE}, None),
        ("first_name", "last_name", "tribute.name"),
    ),
    "restaurant": (lambda: read_diner({"name": BAIT}), ("name",)),
    "shop": (lambda: read_buyer({"name": BAIT}, is_shipped=False), ("name",)),
    "support": (lambda: read_ticket({"name": BAIT}), ("name",)),
    "tickets": (lambda: order_tickets(name=BAIT, email=""), ("name",)),
    "a ticket's new owner": (lambda: transfer_ticket(ticket=a_ticket(), name=BAIT, email=""), ("name",)),
    "waiting list": (lambda: read_entry(TicketType(), name=BAIT, email="", quantity=1), ("name",)),
}


@pytest.fixture(autouse=True)
def events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def refusals(read: Callable[[], Any], user: Any) -> dict[str, list[str]]:
    request = RequestFactory().post("/")
    request.user = user
    with answering(request), pytest.raises(Invalid) as refusal:
        read()
    return refusal.value.errors


@pytest.mark.parametrize("name", READERS)
@pytest.mark.both_databases
def test_visitors_enter_none(name: str) -> None:
    read, paths = READERS[name]
    found = refusals(read, AnonymousUser())
    assert all(found[path] == [WEB_ADDRESS] for path in paths)
    assert WEB_ADDRESS not in str(refusals(read, people.alice()))


def test_nor_in_the_message_of_a_tribute() -> None:
    assert refusals(READERS["donations"][0], AnonymousUser())["tribute.message"] == [MESSAGE_WITH_ADDRESS]
