"""A record of which another amount is due has no open payment page at the former one, whatever has changed it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core import registry
from commerce.booking.models import Appointment
from commerce.booking.services import APPOINTMENTS
from commerce.directory.services import purchasing
from commerce.directory.services import purchasing as directory_money
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import INVOICES, credit_invoice
from commerce.members.models import Member
from commerce.members.services import PLANS, choose_plan, confirm_payment, save_plan
from commerce.members.services.plans import close_pages
from commerce.payments.models import Payment, Refund
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.services.refunds import apply_refund
from commerce.payments.types import PaymentStatus, RefundOutcome, RefundStatus
from commerce.restaurant.services import placing as meals
from commerce.shop.services import placing as goods
from commerce.ticketing.services import buying as tickets
from commerce.ticketing.services.paying import ORDERS as TICKETS
from tests.commerce.booking import builders as booking
from tests.commerce.directory import builders as directory
from tests.commerce.invoicing import builders as invoicing
from tests.commerce.members.conftest import make_plan
from tests.commerce.restaurant import builders as restaurant
from tests.commerce.sales.kinds import KINDS, open_business
from tests.commerce.shop import builders as shop
from tests.commerce.shop.builders import record_order_payment
from tests.commerce.ticketing import builders as ticketing

pytestmark = pytest.mark.django_db(transaction=True)
Change = Callable[[Any], Any]
CASH = {"method": "cash"}


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def pay(payable: str, record: Any) -> None:
    payment = start_payment(payable=payable, record_id=record.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)


def half_paid_invoice() -> Invoice:
    invoice = invoicing.make_invoice(invoicing.item(10_000))
    INVOICES.record_payment(invoice, {**CASH, "amount_cents": 5000})
    return invoicing.reloaded(invoice)


def refunded_invoice() -> Invoice:
    invoice = half_paid_invoice()
    INVOICES.refund(invoice, amount_cents=5000)
    return invoicing.reloaded(invoice)


def confirmed_appointment() -> Appointment:
    """An appointment of 50.00, of which 20.00 are paid."""
    appointment = booking.make_appointment(booking.make_service(deposit_cents=2000))
    pay("appointment", appointment)
    return Appointment.objects.get(pk=appointment.pk)


def refunded_appointment() -> Appointment:
    appointment = confirmed_appointment()
    APPOINTMENTS.refund(appointment, amount_cents=2000)
    return Appointment.objects.get(pk=appointment.pk)


def renewing_member() -> Member:
    """A member whose plan has been paid and can be renewed."""
    member: Member = KINDS["plan"].make()
    pay("plan", member)
    Member.objects.filter(pk=member.pk).update(paid_until=timezone.localdate() + timedelta(days=3))
    return Member.objects.get(pk=member.pk)


def let_refund_fail(_: Any) -> None:
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))


def order_more_goods(order: Any) -> None:
    cart = order.cart
    shop.add_to_cart(cart=cart, variant=order.items.get().variant, quantity=1)
    goods.place_order(cart=cart, values=shop.checkout_values())


def order_another_meal(order: Any) -> None:
    restaurant.add_to_cart(cart=order.cart, item=restaurant.make_dish(), quantity=1)
    meals.place_order(cart=order.cart, values=restaurant.values(payment_method="online"))


def use_code(order: Any) -> None:
    code = ticketing.make_promo().code
    tickets.place_order(reservation=order.reservation, values=ticketing.buyer(discount_code=code))


def change_price(member: Member) -> None:
    plan: Any = member.requested_plan
    save_plan(values={"price_cents": 6000}, plan=plan)
    close_pages(plan.pk)


def buy_other_plan(purchase: Any) -> None:
    other = directory.make_plan("Two years", price_cents=9000)
    purchasing.start_purchase(listing=purchase.listing, plan=other, user=purchase.buyer)


#: How to make a record and what changes its amount due, by a name; a name of the kind alone stands for its usual record.
CHANGES: dict[str, dict[str, tuple[Callable[[], Any], Change]]] = {
    "order": {
        "ordered again": (KINDS["order"].make, order_more_goods),
        "paid in cash": (KINDS["order"].make, lambda order: record_order_payment(order=order, values={"method": "cash"})),
    },
    "restaurant_order": {"ordered again": (KINDS["restaurant_order"].make, order_another_meal)},
    "ticket_order": {
        "ordered again": (KINDS["ticket_order"].make, use_code),
        "paid in cash": (KINDS["ticket_order"].make, lambda order: TICKETS.record_payment(order, CASH)),
    },
    "appointment": {
        "paid in part": (
            confirmed_appointment,
            lambda each: APPOINTMENTS.record_payment(each, {**CASH, "amount_cents": 1000}),
        ),
        "refunded": (confirmed_appointment, lambda each: APPOINTMENTS.refund(each, amount_cents=1000)),
        "refund failed": (refunded_appointment, let_refund_fail),
    },
    "invoice": {
        "paid in part": (
            half_paid_invoice,
            lambda invoice: INVOICES.record_payment(invoice, {**CASH, "amount_cents": 1000}),
        ),
        "credited": (half_paid_invoice, lambda invoice: credit_invoice(invoice=invoice, amount_cents=1000, reason="Late")),
        "refunded": (half_paid_invoice, lambda invoice: INVOICES.refund(invoice, amount_cents=1000)),
        "refund failed": (refunded_invoice, let_refund_fail),
    },
    "plan": {
        "another price": (KINDS["plan"].make, change_price),
        "another plan": (KINDS["plan"].make, lambda member: choose_plan(member=member, plan=make_plan("Hall", price_cents=9000))),
        "another plan instead of a renewal": (
            renewing_member,
            lambda member: choose_plan(member=member, plan=make_plan("Hall", price_cents=9000)),
        ),
        "confirmed by staff": (KINDS["plan"].make, lambda member: confirm_payment(member=member, user=None)),
        "refunded": (renewing_member, lambda member: PLANS.refund(member, amount_cents=5000)),
    },
    "listing_purchase": {
        "another plan": (KINDS["listing_purchase"].make, buy_other_plan),
        "paid in cash": (
            KINDS["listing_purchase"].make,
            lambda purchase: directory_money.PURCHASES.record_payment(purchase, CASH),
        ),
    },
}
#: A lower amount of a recurring donation needs a declined card: `tests.commerce.donations.test_stopped_charges`.
ELSEWHERE = {"donation"}
CASES = [(payable, *way) for payable, ways in CHANGES.items() for way in ways.values()]
NAMES = [f"{payable}, {name}" for payable, ways in CHANGES.items() for name in ways]


def test_every_kind_of_sale_is_covered() -> None:
    assert CHANGES.keys() | ELSEWHERE == registry.payables().keys() - {"bill"}


@pytest.mark.parametrize(("payable", "make", "change"), CASES, ids=NAMES)
def test_its_payment_page_is_closed(payable: str, make: Callable[[], Any], change: Change) -> None:
    record = make()
    payment = start_payment(payable=payable, record_id=record.pk)
    assert payment.status == "open"
    change(type(record)._default_manager.get(pk=record.pk))
    assert Payment.objects.get(pk=payment.pk).status == "expired"
