"""Names that visitors enter may not hold a web address: most of them are mailed. Staff and API tokens enter what they like."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from cms_api.accounts.services import create_member
from cms_api.auth.services.visitors import Visit
from cms_api.comments.types import read_comment
from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.fields.names import WEB_ADDRESS
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http.current import answering
from commerce.booking.models import Service
from commerce.booking.services.booking import read_customer as read_booking
from commerce.directory.services.contacting import send_message
from commerce.donations.services import save_fundraiser
from commerce.donations.services.giving import MESSAGE_WITH_ADDRESS, read_gift
from commerce.invoicing.services import accept_estimate, decline_estimate
from commerce.marketing.services.signup import sign_up
from commerce.real_estate.models import Property
from commerce.real_estate.services import send_inquiry
from commerce.restaurant.services.placing import read_customer as read_diner
from commerce.reviews.services.reading import read_written
from commerce.shop.services.placing import read_customer as read_buyer
from commerce.support.services.opening import read_ticket
from commerce.ticketing.models import AttendeeTicket, TicketOrder, TicketType
from commerce.ticketing.services.transferring import transfer_ticket
from commerce.ticketing.services.waiting import read_entry
from events.types.rsvps import read_answer
from tests import people
from tests.commerce.directory.builders import make_listing
from tests.commerce.donations.builders import make_campaign
from tests.commerce.invoicing.builders import make_estimate
from tests.commerce.shop.builders import ADDRESS
from tests.commerce.ticketing.builders import adult, make_order, make_sales

pytestmark = pytest.mark.django_db

OURS = ("cms_api.", "commerce.", "events.", "home.")
BAIT = "Prize at evil.example/x"
TRIBUTE = {"type": "honor", "name": BAIT, "message": f"Look: {BAIT}"}
BILLED = {"name": "Dana Reyes", "billing_address": {**ADDRESS, "name": BAIT}}
VISIT = Visit("192.0.2.7", "", "")
TWO_LINES = "One\nTwo"


def order_tickets(asks_names: bool = False, **buyer: Any) -> TicketOrder:
    return make_order(make_sales(adult(pricing="free"), values={"asks_names": asks_names}), Adult=1, buyer_values=buyer)


def a_ticket() -> AttendeeTicket:
    return order_tickets().tickets.get()


def read_rsvp() -> None:
    errors = ErrorCollector()
    read_answer(errors, name=BAIT, email="", party_size=1)
    errors.raise_if_any()


#: By the label of the app, and by what is read if there are several. Each input lacks something else too, so staff are refused.
READERS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "accounts": (lambda: create_member(email="mia@example.com", password="", name=BAIT), ("name",)),
    "booking": (lambda: read_booking(Service(), {"name": BAIT}), ("name",)),
    "comments": (lambda: read_comment({"name": BAIT}), ("name",)),
    "directory": (lambda: send_message(listing=a_listing(), values={"name": BAIT}, visit=VISIT), ("name",)),
    "donations": (
        lambda: read_gift({"first_name": BAIT, "last_name": BAIT, "tribute": TRIBUTE}, None),
        ("first_name", "last_name", "tribute.name"),
    ),
    "donations fundraiser": (
        lambda: save_fundraiser(values={"organizer": BAIT, "name": BAIT}, campaign=make_campaign()),
        ("organizer", "name"),
    ),
    "events": (read_rsvp, ("name",)),
    "invoicing accepted": (lambda: accept_estimate(estimate=make_estimate(), name=BAIT, note=TWO_LINES), ("name",)),
    "invoicing declined": (lambda: decline_estimate(estimate=make_estimate(), name=BAIT, note=TWO_LINES), ("name",)),
    "marketing": (
        lambda: sign_up(values={"first_name": BAIT, "last_name": BAIT}, lists=(), visit=VISIT),
        ("first_name", "last_name"),
    ),
    "real_estate": (
        lambda: send_inquiry(listing=Property(), name=BAIT, email="", message="", visit=VISIT),
        ("name",),
    ),
    "restaurant": (lambda: read_diner({"name": BAIT}), ("name",)),
    "reviews": (lambda: read_written({"author_name": BAIT}), ("author_name",)),
    "shop": (lambda: read_buyer({"name": BAIT}, is_shipped=False), ("name",)),
    "shop billing": (lambda: read_buyer(BILLED, is_shipped=False), ("billing_address.name",)),
    "support": (lambda: read_ticket({"name": BAIT}), ("name",)),
    "ticketing": (lambda: order_tickets(name=BAIT, email=""), ("name",)),
    "ticketing attendee": (
        lambda: order_tickets(asks_names=True, email="", attendees=[{"name": BAIT}]),
        ("attendees.0.name",),
    ),
    "ticketing new owner": (lambda: transfer_ticket(ticket=a_ticket(), name=BAIT, email=""), ("name",)),
    "ticketing waiting list": (lambda: read_entry(TicketType(), name=BAIT, email="", quantity=1), ("name",)),
}
#: Only visitors fill in these forms, so that nobody may enter a web address there.
OF_VISITORS = {"comments", "events", "marketing"}
#: Only staff, tokens, and listeners that take the names of the others write the names of people here.
OF_STAFF = {"crm", "projects"}


def a_listing() -> Any:
    return make_listing(email="hello@example.com")


@pytest.fixture(autouse=True)
def events_on(db: None) -> None:
    for name in ("events", "directory"):
        switch_feature(name=name, on=True)


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
    assert (WEB_ADDRESS in str(refusals(read, people.alice()))) == (name in OF_VISITORS)


LINES = {**ADDRESS, "street": "You won: https://evil.example", "street2": "St.John 5", "city": "www.evil.example"}


@pytest.mark.parametrize(
    ("read", "path"),
    [
        (lambda: read_buyer({"shipping_address": LINES}, is_shipped=True), "shipping_address"),
        (lambda: read_diner({"fulfillment": "delivery", "delivery_address": LINES}), "delivery_address"),
        (lambda: read_gift({"address": LINES}, None), "address"),
    ],
)
@pytest.mark.both_databases
def test_nor_a_link_in_the_lines_of_an_address(read: Callable[[], Any], path: str) -> None:
    """Receipts that are mailed show it."""
    set_setting(key="restaurant.delivery", value=True)
    found = refusals(read, AnonymousUser())
    assert {name for name in found if name.startswith(f"{path}.")} == {f"{path}.street", f"{path}.city"}
    assert found[f"{path}.street"] == ["Enter a postal address without a web address."]
    assert f"{path}.street" not in refusals(read, people.alice())


def test_nor_in_the_message_of_a_tribute() -> None:
    assert refusals(READERS["donations"][0], AnonymousUser())["tribute.message"] == [MESSAGE_WITH_ADDRESS]


def test_every_app_that_stores_names_of_people_is_listed() -> None:
    """People are models with a name and an email address; listings and clients of staff are among them."""
    names, stored = {"name", "first_name", "author_name"}, set()
    for model in apps.get_models():
        columns = {field.name for field in model._meta.concrete_fields}
        if names & columns and any(column.endswith("email") for column in columns) and model.__module__.startswith(OURS):
            stored.add(model._meta.app_label)
    assert stored == {name.partition(" ")[0] for name in READERS} | OF_STAFF
