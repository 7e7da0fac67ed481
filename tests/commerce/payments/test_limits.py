"""Sales that cost less or more than the provider takes are refused before anything is reserved."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.booking.models import Appointment
from commerce.common.types.money import MAX_CENTS, Money, payable_step
from commerce.directory.models import Purchase
from commerce.donations.models import Donation
from commerce.members.models import Member
from commerce.payments.models import Payment
from commerce.payments.selectors import largest_payable, payment_refusal, smallest_payable
from commerce.payments.services import start_payment
from commerce.payments.services.providers.stripe import to_stripe
from commerce.restaurant.models import RestaurantOrder
from commerce.shop.models import Order, ProductVariant
from commerce.ticketing.models import TicketOrder
from tests.commerce.booking import builders as booking
from tests.commerce.directory import builders as directory
from tests.commerce.donations import builders as donations
from tests.commerce.invoicing import builders as invoicing
from tests.commerce.restaurant import builders as restaurant
from tests.commerce.sales.kinds import KINDS, open_business
from tests.commerce.shop import builders as shop
from tests.commerce.ticketing import builders as ticketing

from .stripe_stub import SECRET_KEY

pytestmark = pytest.mark.django_db(transaction=True)
TOO_SMALL = "Amounts below $0.50 can't be paid online."
TOO_LARGE = "Amounts above $999,999.99 can't be paid online."
#: The most that Stripe takes of dollars.
LARGEST_CENTS = 99_999_999


@pytest.fixture(autouse=True)
def business(db: None, settings: Any) -> None:
    """A business with Stripe, which nothing here asks for anything."""
    open_business()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, "http://127.0.0.1:9"
    set_setting(key="payments.provider", value="stripe")


def order_goods(cents: int) -> Any:
    return shop.make_order((shop.make_variant(price=cents), 1), shipping_method=shop.make_method(price_cents=0).pk)


def order_meal(cents: int) -> Any:
    return restaurant.make_order((restaurant.make_dish(price=cents), 1), payment_method="online")


def order_tickets(cents: int) -> Any:
    return ticketing.make_order(ticketing.make_sales(ticketing.adult(price_cents=cents)))


def book(cents: int) -> Any:
    return booking.make_appointment(booking.make_service(price_cents=max(cents, 5000), deposit_cents=cents))


def buy_term(cents: int) -> Any:
    listing = directory.make_ended(owner=directory.make_owner())
    return directory.make_purchase(listing, directory.make_plan(price_cents=cents))


def give(cents: int) -> Any:
    set_setting(key="donations.minimum_cents", value=1)
    set_setting(key="donations.maximum_cents", value=2 * LARGEST_CENTS)
    return donations.make_donation(amount_cents=cents)


#: How to buy something at a price, and the model of what that makes.
PURCHASES: dict[str, tuple[Callable[[int], Any], type[Any]]] = {
    "order": (order_goods, Order),
    "meal": (order_meal, RestaurantOrder),
    "tickets": (order_tickets, TicketOrder),
    "deposit": (book, Appointment),
    "term": (buy_term, Purchase),
    "donation": (give, Donation),
}


@pytest.mark.parametrize(
    ("cents", "sentence", "of_donations"),
    [
        (49, TOO_SMALL, "Enter an amount of at least $0.50."),
        (LARGEST_CENTS + 1, TOO_LARGE, "Enter an amount of at most $999,999.99."),
    ],
    ids=["too little", "too much"],
)
@pytest.mark.parametrize("kind", PURCHASES)
def test_it_is_refused(kind: str, cents: int, sentence: str, of_donations: str) -> None:
    buy, model = PURCHASES[kind]
    with pytest.raises(Invalid) as refusal:
        buy(cents)
    assert refusal.value.message == (of_donations if model is Donation else sentence)
    assert not model.objects.exists()
    assert not ProductVariant.objects.exclude(reserved=0).exists()


@pytest.mark.parametrize("cents", [50, LARGEST_CENTS])
@pytest.mark.parametrize(("buy", "model"), PURCHASES.values(), ids=PURCHASES)
def test_the_least_and_the_most_can_be_bought(buy: Callable[[int], Any], model: type[Any], cents: int) -> None:
    buy(cents)
    assert model.objects.exists()


def test_the_covered_fee_counts() -> None:
    set_setting(key="donations.maximum_cents", value=LARGEST_CENTS)
    with pytest.raises(Invalid) as refusal:
        donations.make_donation(amount_cents=LARGEST_CENTS, covers_fee=True)
    assert refusal.value.errors == {"amount_cents": [TOO_LARGE]}
    assert not Donation.objects.exists()


@pytest.mark.parametrize("buy", [order_goods, order_tickets, book], ids=["order", "tickets", "no deposit"])
def test_what_costs_nothing_can_be_had(buy: Callable[[int], Any]) -> None:
    assert buy(0).pk


def test_a_meal_that_is_paid_at_the_store() -> None:
    assert restaurant.make_order((restaurant.make_dish(price=30), 1)).pk


def test_a_booking_by_staff() -> None:
    assert booking.make_appointment(booking.make_service(deposit_cents=30), by_staff=True).pk


def test_an_invoice_over_too_much() -> None:
    invoice = invoicing.make_invoice(invoicing.item(LARGEST_CENTS + 1))
    with pytest.raises(Invalid) as refusal:
        start_payment(payable="invoice", record_id=invoice.pk)
    assert refusal.value.errors == {"payment": [TOO_LARGE]}
    assert not Payment.objects.exists()


def test_the_rest_of_an_invoice() -> None:
    invoice = invoicing.make_invoice(invoicing.item(1000))
    invoicing.pay(invoice, 970)
    with pytest.raises(Invalid, match="Amounts below"):
        start_payment(payable="invoice", record_id=invoice.pk)
    assert not Payment.objects.filter(status__in=["started", "open"]).exists()


@pytest.mark.parametrize(("cents", "sentence"), [(30, TOO_SMALL), (LARGEST_CENTS + 1, TOO_LARGE)])
def test_a_plan_waits_for_money_that_is_recorded(cents: int, sentence: str) -> None:
    member: Member = KINDS["plan"].make()
    KINDS["plan"].set_amount(member, cents)
    with pytest.raises(Invalid, match=re.escape(sentence)):
        start_payment(payable="plan", record_id=member.pk)


@pytest.mark.parametrize(("currency", "least"), [("usd", 50), ("gbp", 30), ("jpy", 50), ("huf", 17500), ("xof", 1)])
def test_each_currency_has_its_least(currency: str, least: int) -> None:
    assert smallest_payable(currency) == least


@pytest.mark.parametrize(("currency", "digits"), [("usd", 8), ("vnd", 8), ("inr", 9), ("cop", 10), ("jpy", 10), ("idr", 12)])
def test_each_currency_has_its_most(currency: str, digits: int) -> None:
    assert largest_payable(currency) == 10**digits - 1


@pytest.mark.parametrize("currency", ["isk", "mga", "ugx"])
def test_the_most_is_in_units_of_stripe(currency: str) -> None:
    most, step = largest_payable(currency), payable_step(currency)
    assert to_stripe(Money(most, currency)) < 10**8 <= to_stripe(Money(most + step, currency))


def test_test_payments_take_any_amount() -> None:
    set_setting(key="payments.provider", value="offline")
    assert smallest_payable("usd") == 1
    assert not any(payment_refusal(Money(cents, "usd")) for cents in (1, MAX_CENTS))


def test_without_a_provider_only_nothing_can_be_paid(settings: Any) -> None:
    settings.STRIPE_SECRET_KEY = ""
    assert payment_refusal(Money(5000, "usd")) == "Online payments aren't available at the moment."
    assert not payment_refusal(Money(0, "usd"))
