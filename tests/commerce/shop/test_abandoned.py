"""Orders that are not paid: reservations that lapse, one reminder, and money that arrives too late."""

from datetime import timedelta

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.shop.models import DiscountCode, Order, ProductVariant
from commerce.shop.selectors.orders import ORDER_LINK, orders
from commerce.shop.services.housekeeping import release_lapsed_orders, remind_customers
from commerce.shop.services.paying import ORDERS
from commerce.shop.types.orders import PAYABLE
from tests import people
from tests.commerce.shop.builders import record_order_payment

from .builders import make_code, make_order, make_paid_order, make_variant

pytestmark = pytest.mark.django_db

AN_HOUR = timedelta(hours=2)


@pytest.fixture(autouse=True)
def ready(shop: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


def age(order: Order, by: timedelta = AN_HOUR) -> Order:
    """Let an order have been placed so long ago, with the reservation that it got then."""
    order.refresh_from_db()
    order.created_at -= by
    order.placed_at -= by
    order.reserved_until = order.reserved_until and order.reserved_until - by
    order.save()
    return order


def lapse(order: Order) -> Order:
    age(order)
    release_lapsed_orders()
    order.refresh_from_db()
    return order


def reminders() -> list[str]:
    return list(OutgoingMail.objects.filter(template="order_reminder").values_list("recipient", flat=True))


def test_reminders_of_addresses_that_are_not_confirmed_are_limited() -> None:
    """An account shows nothing about an address that it has only typed."""
    member, other = (create_member(email=f"{name}@example.com", password=people.PASSWORD) for name in ("ann", "dan"))
    for email, user in (("ann@example.com", member), ("ben@example.com", other), ("cem@example.com", None)):
        age(make_order(email=email, user=user))
    remind_customers()
    mails = OutgoingMail.objects.filter(template="order_reminder")
    assert dict(mails.values_list("recipient", "is_limited")) == {
        "ann@example.com": False,
        "ben@example.com": True,
        "cem@example.com": True,
    }


@pytest.mark.both_databases
def test_it_works() -> None:
    order = make_order()
    assert list(orders(status="abandoned")) == []
    remind_customers()
    assert reminders() == []
    age(order)
    assert list(orders(status="abandoned")) == [order]
    for _ in range(3):
        remind_customers()
    assert reminders() == ["dana@example.com"]
    assert ORDER_LINK.url(order) in OutgoingMail.objects.get(template="order_reminder").text
    assert ModelLogEntry.objects.filter(action="shop.remind_customer").count() == 1


def test_those_who_are_not_reminded() -> None:
    processing = age(make_order(email="processing@example.com"))
    Order.objects.filter(pk=processing.pk).update(is_processing=True)
    age(make_order(email="old@example.com"), timedelta(days=30))
    age(make_order(email="bought@example.com"))
    make_paid_order(email="bought@example.com")
    age(make_paid_order(email="paid@example.com"))
    remind_customers()
    assert reminders() == []
    assert [order.email for order in orders(status="abandoned")] == ["bought@example.com", "old@example.com"]


def test_reminders_can_be_switched_off() -> None:
    age(make_order())
    set_setting(key="shop.reminders", value=False)
    remind_customers()
    assert reminders() == []


def test_what_was_not_paid_in_time_is_released() -> None:
    make_code("SAVE10", max_uses=1)
    order = make_order((make_variant(stock=3), 2), code="SAVE10")
    release_lapsed_orders()
    assert ProductVariant.objects.get().reserved == 2
    lapse(order)
    variant = ProductVariant.objects.get()
    assert (order.status, order.reserved_until, variant.stock, variant.reserved) == ("pending", None, 3, 0)
    assert DiscountCode.objects.get().used == 0
    assert ModelLogEntry.objects.filter(action="shop.release_order").count() == 1
    release_lapsed_orders()
    assert ModelLogEntry.objects.filter(action="shop.release_order").count() == 1


def test_a_payment_that_is_on_its_way_keeps_its_items() -> None:
    order = make_order((make_variant(stock=3), 2))
    Order.objects.update(is_processing=True)
    lapse(order)
    assert ProductVariant.objects.get().reserved == 2


@pytest.mark.django_db(transaction=True)
def test_an_order_that_was_paid_at_the_last_moment_is_settled() -> None:
    order = make_order((make_variant(stock=3), 2))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    lapse(order)
    variant = ProductVariant.objects.get()
    assert (order.status, variant.stock, variant.reserved) == ("paid", 1, 0)


@pytest.mark.django_db(transaction=True)
def test_the_payment_page_of_a_lapsed_order_is_closed() -> None:
    order = make_order((make_variant(stock=3), 2))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    lapse(order)
    assert Payment.objects.get().status == "expired"
    assert not decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    # It can be paid again, which reserves its items again.
    start_payment(payable=PAYABLE, record_id=order.pk)
    order.refresh_from_db()
    assert (ProductVariant.objects.get().reserved, order.reserved_until is not None) == (2, True)


def test_money_that_arrives_too_late_takes_the_items_again() -> None:
    make_code("SAVE10", max_uses=1)
    order = lapse(make_order((make_variant(stock=3), 2), code="SAVE10"))
    record_order_payment(order=order, values={"method": "bank_transfer"})
    variant = ProductVariant.objects.get()
    order.refresh_from_db()
    assert (order.status, variant.stock, variant.reserved, DiscountCode.objects.get().used) == ("paid", 1, 0, 1)


@pytest.mark.django_db(transaction=True)
def test_money_for_what_has_been_sold_is_not_applied() -> None:
    variant = make_variant(stock=2)
    late = make_order((variant, 2), email="late@example.com")
    payment = start_payment(payable=PAYABLE, record_id=late.pk)
    # The provider takes the money although the page was to be closed: the site hears of it later.
    Payment.objects.update(status=PaymentStatus.EXPIRED)
    lapse(late)
    make_paid_order((variant, 2), email="first@example.com")
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    settled = settle(payment_id=payment.pk)
    assert (settled.status, bool(settled.unapplied)) == (PaymentStatus.SUCCEEDED, True)
    late.refresh_from_db()
    variant.refresh_from_db()
    assert (late.status, variant.stock, variant.reserved) == ("pending", 0, 0)
    assert not OutgoingMail.objects.filter(recipient="late@example.com", template="order_confirmed").exists()


@pytest.mark.both_databases
def test_a_lapsed_order_cannot_be_paid_for_what_has_been_sold() -> None:
    variant = make_variant(stock=2, product={"name": "Mug"})
    late = lapse(make_order((variant, 2)))
    make_order((variant, 1), email="other@example.com")
    with pytest.raises(Invalid) as refusal:
        ORDERS.due(late)
    assert refusal.value.errors == {"items": ["Only 1 of Mug left."]}


@pytest.mark.both_databases
def test_a_lapsed_order_cannot_use_a_code_that_others_have_used_up() -> None:
    make_code("ONCE", max_uses=1)
    late = lapse(make_order(code="ONCE"))
    make_paid_order(code="ONCE", email="other@example.com")
    with pytest.raises(Invalid) as refusal:
        ORDERS.due(late)
    assert refusal.value.errors == {"discount_code": ["This discount code has been used up. Please order again."]}
    assert DiscountCode.objects.get().used == 1


@pytest.mark.both_databases
def test_a_year_of_lapsed_orders_takes_several_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.sales.services.lapsing.SALES_PER_RUN", 2)
    for number in range(3):
        age(make_order(email=f"buyer{number}@example.com"))
    release_lapsed_orders()
    assert Order.objects.filter(reserved_until__gt=timezone.now() - timedelta(days=1)).count() == 1
    release_lapsed_orders()
    assert not Order.objects.exclude(reserved_until=None).exists()
