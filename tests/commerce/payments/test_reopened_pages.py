"""Payment pages that somebody opens just before their record ends, or somebody or something else is to be paid."""

from typing import Any

import pytest

from commerce.directory.services import saving
from commerce.members.services import choose_plan, refund_plan
from commerce.members.services.renewals import check_renewals
from commerce.payments.models import Payment
from commerce.payments.services import close_payments, start_payment
from commerce.restaurant.services import placing as restaurant_orders
from commerce.ticketing.services import ending as ticketing
from tests import people
from tests.commerce.members.conftest import make_plan
from tests.commerce.members.test_paying import Day, day, pay, state
from tests.commerce.restaurant import builders as restaurant

from .sales import open_business
from .test_ended_records import ENDINGS, End, make

__all__ = ["day"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def order_again(order: Any) -> None:
    restaurant_orders.place_order(cart=order.cart, values=restaurant.values(payment_method="online"))


#: Services that close the page before they lock the record: its kind, their modules, and what they do.
FIRST_CLOSED: dict[str, tuple[str, str, End]] = {
    "order, cancelled": ("order", "shop.services.ending", ENDINGS["order"]["cancelled"]),
    "restaurant_order, cancelled": ("restaurant_order", "restaurant.services.kitchen", ENDINGS["restaurant_order"]["cancelled"]),
    "appointment, cancelled": ("appointment", "booking.services.ending", ENDINGS["appointment"]["cancelled"]),
    "invoice, cancelled": ("invoice", "invoicing.services.issuing", ENDINGS["invoice"]["void"]),
    "ticket_order, cancelled": ("ticket_order", "ticketing.services.ending", lambda order: ticketing.cancel_order(order=order)),
    "restaurant_order, replaced": ("restaurant_order", "restaurant.services.placing", order_again),
}


def close_and_open_again(**about: Any) -> bool:
    """Somebody begins to pay once the page is closed."""
    return close_payments(**about) and bool(start_payment(**about))


@pytest.mark.parametrize("name", FIRST_CLOSED)
def test_a_page_that_is_opened_just_before_the_end_is_closed_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    payable, module, end = FIRST_CLOSED[name]
    record = make(payable)

    monkeypatch.setattr(f"commerce.{module}.close_payments", close_and_open_again)
    end(record)
    assert Payment.objects.get(payable=payable, record_id=record.pk).status == "expired"


def test_the_page_of_a_renewal_that_is_opened_just_before_the_plan_ends(day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    day("2026-01-15")
    member = make("plan")
    pay(member)
    day("2027-01-23")
    monkeypatch.setattr("commerce.members.services.renewals.close_payments", close_and_open_again)
    check_renewals()
    check_renewals()
    assert (state(member), Payment.objects.filter(status="open").count()) == ((None, None), 0)


def other_plan(member: Any) -> None:
    choose_plan(member=member, plan=make_plan("Other", price_cents=100, interval="month"))


def other_owner(purchase: Any) -> None:
    saving.save_listing(listing=purchase.listing, values={"owner": people.alice()})


@pytest.mark.parametrize(("payable", "change"), [("plan", other_plan), ("listing_purchase", other_owner)])
def test_the_page_is_closed_if_somebody_or_something_else_is_to_be_paid(payable: str, change: End) -> None:
    record = make(payable)
    payment = start_payment(payable=payable, record_id=record.pk)
    change(record)
    payment.refresh_from_db()
    assert payment.status == "expired"


def test_the_page_of_a_renewal_is_closed_if_the_plan_ends_with_a_refund(day: Day) -> None:
    day("2026-01-15")
    member = make("plan")
    pay(member)
    day("2027-01-10")
    payment = start_payment(payable="plan", record_id=member.pk)
    refund_plan(member=member, amount_cents=5000)
    payment.refresh_from_db()
    assert (state(member), payment.status) == ((None, None), "expired")
