"""Goals, each reached as visitors reach it: over pages, with a payment where there is one."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from cms_api.analytics.models import Attribution, Event, PendingEvent
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import read_range
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import set_setting, switch_feature
from cms_api.forms.models import Submission
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.shop.models import Order
from tests.builders import make_form, make_token
from tests.client import Api
from tests.commerce.booking import builders as bookings
from tests.commerce.booking.test_pages_booking import form as booking_form
from tests.commerce.donations import builders as donations
from tests.commerce.donations import page_builders as giving
from tests.commerce.marketing.conftest import mails, path_in
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub, sign
from tests.commerce.shop import builders as shop
from tests.commerce.ticketing import builders as tickets
from tests.commerce.ticketing import page_builders as ticketing
from tests.people import bob
from tests.visitor import hidden

from .test_collecting import CHROME, send

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {"name": "Dana", "email": "dana@example.com", "message": "Hello"}
DANA = {"name": "Dana Reyes", "email": "dana@example.com"}


@pytest.fixture(autouse=True)
def ready(analytics_on: None) -> None:
    for name in ("marketing", "shop", "booking", "events", "donations"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)


@pytest.fixture
def visitor() -> Client:
    """Somebody who has come by a campaign."""
    client = Client(headers={"user-agent": CHROME})
    assert send(client, address="/?utm_source=paper") == 204
    return client


@pytest.fixture
def stub(settings: Any) -> Iterator[StripeStub]:
    stub = StripeStub().start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()


def reached() -> list[tuple[str, int, int]]:
    """The goals that were reached, each with its number and its amount; all by the visitor from the paper."""
    ingest(at_once=True)
    found = read_range(None, None)
    rows = reports.conversions(found)
    by_source = {row["source"]: row["conversions"] for row in reports.sources(found)}
    number = sum(row["conversions"] for row in rows)
    assert by_source.get("paper", 0) == number
    assert all(row["conversion_rate"] == 1 for row in rows)
    return [(row["goal"], row["conversions"], row["value_cents"]) for row in rows]


def submit(visitor: Client, **changes: str) -> None:
    path = f"/forms/{make_form().slug}"
    visitor.post(path, {**hidden(visitor, path), **FORM, **changes})


def subscribe(visitor: Client) -> None:
    visitor.post("/subscribe", {**hidden(visitor, "/subscribe"), "email": "dana@example.com"})
    visitor.post(path_in(mails("subscription_confirm")[-1], "/subscribe/confirm/"))


def check_out(visitor: Client) -> Any:
    visitor.cookies["cart"] = shop.make_cart((shop.make_variant(price=1250), 2)).token
    address = {f"shipping-{name}": value for name, value in shop.ADDRESS.items()}
    sent = {"email": "dana@example.com", "phone": "", "same_address": "1", "note": "", "place": "1", **address}
    return visitor.post("/shop/checkout", {**sent, "shipping_method": shop.make_method().pk})


def order(visitor: Client) -> None:
    giving.pay_there(visitor, check_out(visitor))


def book(visitor: Client) -> None:
    service = bookings.make_service()
    bookings.make_staff(service)
    path = booking_form(service)
    visitor.post(path, {**hidden(visitor, path), **DANA})


def buy_tickets(visitor: Client) -> None:
    path = ticketing.checkout_path(tickets.make_reservation(tickets.make_sales(), Adult=2))
    ticketing.pay_there(visitor, visitor.post(path, {**hidden(visitor, path), **DANA}))


def donate(visitor: Client) -> None:
    giving.pay_there(visitor, giving.send(visitor))


DEEDS: dict[str, tuple[Callable[[Client], None], int]] = {
    "form": (submit, 0),
    "subscription": (subscribe, 0),
    "order": (order, 3000),
    "booking": (book, 5000),
    "ticket": (buy_tickets, 6400),
    "donation": (donate, 5000),
}


@pytest.mark.parametrize("goal", DEEDS)
def test_a_goal_is_reached_once(visitor: Client, goal: str) -> None:
    work, value = DEEDS[goal]
    work(visitor)
    assert reached() == [(goal, 1, value)]


@pytest.mark.parametrize("goal", DEEDS)
def test_robots_and_staff_reach_nothing(goal: str) -> None:
    work, _ = DEEDS[goal]
    robot, staff = Client(headers={"user-agent": "Googlebot/2.1"}), Client(headers={"user-agent": CHROME})
    staff.force_login(bob())
    for client in (robot,) if goal == "subscription" else (robot, staff):
        work(client)
    assert not PendingEvent.objects.exists()


@pytest.mark.parametrize("goal", DEEDS)
def test_nothing_is_counted_while_it_is_off(goal: str) -> None:
    switch_feature(name="analytics", on=False)
    DEEDS[goal][0](Client(headers={"user-agent": CHROME}))
    assert not PendingEvent.objects.exists()
    assert not Attribution.objects.exists()


def notice(stub: StripeStub, reference: str) -> None:
    """Receive the provider's event, twice, from an address of its own."""
    body = json.dumps(stub.pay(reference)).encode()
    machine = Client(REMOTE_ADDR="198.51.100.7", headers={"user-agent": "Stripe/1.0", "stripe-signature": sign(body)})
    for _ in range(2):
        assert machine.post("/payments/events/stripe", body, content_type="application/json").status_code == 200


def test_a_payment_that_the_provider_reports_belongs_to_its_visitor(visitor: Client, stub: StripeStub) -> None:
    assert check_out(visitor).status_code == 302
    assert reached() == []
    payment = start_payment(payable="order", record_id=Order.objects.get().pk)
    notice(stub, payment.reference)
    assert Order.objects.get().status == "paid"
    assert reached() == [("order", 1, 3000)]


def test_a_payment_that_nobody_began_on_the_site_is_nobodys(stub: StripeStub) -> None:
    """Such as that of an order which an integration has placed."""
    record = shop.make_order((shop.make_variant(price=1250), 2))
    notice(stub, start_payment(payable="order", record_id=record.pk).reference)
    assert Order.objects.get().status == "paid"
    assert not PendingEvent.objects.exists()


def test_a_payment_is_reported_after_the_visit(visitor: Client) -> None:
    """It counts, but in no visit."""
    record = shop.make_order((shop.make_variant(price=1250), 2))
    payment = start_payment(payable="order", record_id=record.pk)
    Attribution.objects.create(payable="order", record_id=record.pk, visitor=12345, created_at=payment.created_at)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    ingest(at_once=True)
    (row,) = reports.conversions(read_range(None, None))
    assert (row["goal"], row["conversions"], row["conversion_rate"], row["value_cents"]) == ("order", 1, 0, 3000)


def test_submissions_over_the_api_do_not_count(api_on: None) -> None:
    api = Api(make_token("forms:write"))
    assert api.post(f"/forms/{make_form().pk}/submissions", {"data": FORM}).status_code == 201
    assert not PendingEvent.objects.exists()


def test_donations_without_a_visitor_do_not_count() -> None:
    donations.paid_donation()
    assert not PendingEvent.objects.exists()


def test_spam_does_not_count(visitor: Client) -> None:
    path = f"/forms/{make_form().slug}"
    visitor.post(path, FORM)
    assert Submission.objects.get().is_spam
    assert reached() == []


def test_a_conversion_waits_for_the_view_before_it(visitor: Client) -> None:
    """The files of views are stored a second after they were begun."""
    submit(visitor)
    assert ingest() == 0
    assert PendingEvent.objects.count() == 1
    assert not Event.objects.exists()
    assert reached() == [("form", 1, 0)]


def test_a_form_that_is_refused_does_not_count(visitor: Client) -> None:
    submit(visitor, email="no address")
    assert not PendingEvent.objects.exists()
