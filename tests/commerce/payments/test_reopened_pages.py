"""Payment pages that somebody opens just before their record ends, or somebody or something else is to be paid."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.http.renewing import renew_link
from commerce.directory.services import saving, statuses
from commerce.directory.services.purchasing import UNPAID_FOR, cancel_unpaid
from commerce.members.services import PLANS, choose_plan
from commerce.members.services.renewals import check_renewals
from commerce.payments.models import Payment
from commerce.payments.selectors import LINK
from commerce.payments.services import close_payments, decide_test_payment, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.services import placing as restaurant_orders
from commerce.ticketing.services import ending as ticketing
from tests import people
from tests.commerce.members.conftest import make_plan
from tests.commerce.members.test_paying import Day, day, pay, state
from tests.commerce.restaurant import builders as restaurant
from tests.commerce.sales.kinds import KINDS, open_business

from .test_changed_records import order_more_goods, use_code
from .test_ended_records import ENDINGS, End, make

__all__ = ["day"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def order_again(order: Any) -> None:
    restaurant_orders.place_order(cart=order.cart, values=restaurant.values(payment_method="online"))


def leave_unpaid_for_days(purchase: Any) -> None:
    type(purchase)._default_manager.filter(pk=purchase.pk).update(updated_at=timezone.now() - UNPAID_FOR - timedelta(hours=1))
    cancel_unpaid()


#: Services that close the page before they lock the record: its kind, their modules, and what they do.
FIRST_CLOSED: dict[str, tuple[str, str, End]] = {
    "order, cancelled": ("order", "shop.services.ending", ENDINGS["order"]["cancelled"]),
    "restaurant_order, cancelled": ("restaurant_order", "restaurant.services.kitchen", ENDINGS["restaurant_order"]["cancelled"]),
    "appointment, cancelled": ("appointment", "booking.services.ending", ENDINGS["appointment"]["cancelled"]),
    "invoice, cancelled": ("invoice", "invoicing.services.issuing", ENDINGS["invoice"]["void"]),
    "ticket_order, cancelled": ("ticket_order", "ticketing.services.ending", lambda order: ticketing.cancel_order(order=order)),
    "order, ordered again": ("order", "shop.services.placing", order_more_goods),
    "ticket_order, ordered again": ("ticket_order", "ticketing.services.buying", use_code),
    "listing_purchase, unpaid for days": ("listing_purchase", "sales.services.lapsing", leave_unpaid_for_days),
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


def no_end(purchase: Any) -> None:
    """Staff give the listing a term without an end, which the purchase would limit."""
    type(purchase.listing)._default_manager.update(expires_at=timezone.now() + timedelta(days=3))
    saving.save_listing(listing=purchase.listing, values={"expires_at": None})


def featured_for_ever(purchase: Any) -> None:
    """Staff feature a listing without an end, which the purchase of a placement would limit."""
    type(purchase)._default_manager.update(kind="featured")
    statuses.feature_listing(listing=purchase.listing, featured=True)


CHANGES = {
    "other plan": ("plan", other_plan),
    "other owner": ("listing_purchase", other_owner),
    "no end": ("listing_purchase", no_end),
    "featured for ever": ("listing_purchase", featured_for_ever),
}


@pytest.mark.parametrize(("payable", "change"), CHANGES.values(), ids=CHANGES)
def test_the_page_is_closed_if_somebody_or_something_else_is_to_be_paid(payable: str, change: End) -> None:
    record = make(payable)
    payment = start_payment(payable=payable, record_id=record.pk)
    change(record)
    payment.refresh_from_db()
    assert payment.status == "expired"


@pytest.mark.parametrize("payable", [name for name, sale in KINDS.items() if name not in {"plan", "listing_purchase"}])
def test_whoever_pays_after_a_link_was_renewed_comes_back_to_a_page(payable: str) -> None:
    record = KINDS[payable].make()
    former = start_payment(payable=payable, record_id=record.pk)
    renew_link(record=record)
    payment = start_payment(payable=payable, record_id=record.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert Client().get(LINK.path(payment), follow=True).status_code == 200
    former.refresh_from_db()
    assert former.status == "expired"


def test_the_page_is_not_shown_to_whoever_pays_next_with_the_former_address() -> None:
    member = make("plan")
    start_payment(payable="plan", record_id=member.pk)
    type(member.user)._default_manager.filter(pk=member.user_id).update(email="new@example.com")
    assert start_payment(payable="plan", record_id=member.pk).email == "new@example.com"


def test_the_page_of_a_renewal_is_closed_if_the_plan_ends_with_a_refund(day: Day) -> None:
    day("2026-01-15")
    member = make("plan")
    pay(member)
    day("2027-01-10")
    payment = start_payment(payable="plan", record_id=member.pk)
    PLANS.refund(member, amount_cents=5000)
    payment.refresh_from_db()
    assert (state(member), payment.status) == ((None, None), "expired")
