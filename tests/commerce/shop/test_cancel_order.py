"""Cancelling orders that are not paid."""

import pytest
from django.test import Client
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.shop.models import DiscountCode, Order, ProductVariant
from commerce.shop.services.ending import cancel_order, refund_order
from commerce.shop.services.fulfilling import fulfill_order
from commerce.shop.types.orders import PAYABLE
from tests.client import together
from tests.commerce.shop.builders import record_order_payment

from .builders import make_code, make_method, make_order, make_paid_order, make_variant
from .outcomes import emitted, kinds, outcome

pytestmark = pytest.mark.django_db


def mails() -> int:
    return OutgoingMail.objects.filter(template="order_cancelled").count()


@pytest.mark.both_databases
def test_it_works() -> None:
    switch_feature(name="crm", on=True)
    make_code("SAVE10", max_uses=1)
    order = make_order((make_variant(stock=3), 2), code="SAVE10")
    assert cancel_order(order=order)
    order.refresh_from_db()
    assert (order.status, order.cart, order.reserved_until, order.cancelled_at is not None) == ("cancelled", None, None, True)
    variant = ProductVariant.objects.get()
    assert (variant.stock, variant.reserved, DiscountCode.objects.get().used) == (3, 0, 0)
    kind, payload = emitted()[-1]
    assert (kind, payload["status"]) == ("order.status_changed", "cancelled")
    assert ModelLogEntry.objects.filter(action="shop.cancel_order").count() == 1
    assert Activity.objects.filter(summary=f"Order {order.number} cancelled").exists()
    assert mails() == 1
    assert not cancel_order(order=order)
    assert mails() == 1


def test_without_an_email() -> None:
    cancel_order(order=make_order(), send_email=False)
    assert mails() == 0


def test_a_paid_order_is_refused() -> None:
    order = make_paid_order()
    with pytest.raises(Invalid) as refusal:
        cancel_order(order=order)
    assert refusal.value.errors == {"status": ["A paid order can't be cancelled. Refund it instead."]}


@pytest.mark.both_databases
def test_a_cancelled_order_cannot_be_paid() -> None:
    order = make_order()
    cancel_order(order=order)
    assert outcome(lambda: record_order_payment(order=order, values={"method": "cash"})) == "status"
    assert Order.objects.get().status == "cancelled"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("decided", "key", "status"),
    [(PaymentStatus.PROCESSING, "status", "pending"), (PaymentStatus.SUCCEEDED, "status", "paid"), (None, "done", "cancelled")],
)
def test_an_open_payment_page_is_asked_first(decided: PaymentStatus | None, key: str, status: str) -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    order = make_order()
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    if decided:
        decide_test_payment(payment=payment, status=decided)
    assert outcome(lambda: cancel_order(order=order)) == key
    order.refresh_from_db()
    assert (order.status, mails()) == (status, int(key == "done"))
    if not decided:
        assert Payment.objects.get().status == "expired"
        assert not decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
        assert settle(payment_id=payment.pk).status == "expired"


@pytest.mark.django_db(transaction=True)
def test_an_order_is_either_paid_or_cancelled() -> None:
    order = make_order((make_variant(stock=2), 2))

    def act(number: int) -> str:
        own = Order.objects.get(pk=order.pk)
        return outcome(
            lambda: record_order_payment(order=own, values={"method": "cash"}) if number % 2 else cancel_order(order=own)
        )

    together(act, 6)
    order.refresh_from_db()
    variant = ProductVariant.objects.get()
    assert (order.status, variant.stock, variant.reserved) in {("paid", 0, 0), ("cancelled", 2, 0)}
    assert Payment.objects.count() == (order.status == "paid")
    assert kinds().count("order.status_changed") == 1


@pytest.mark.both_databases
def test_a_free_order_can_be_cancelled_after_it_was_sent() -> None:
    """Pieces that were sent do not come back by themselves."""
    variant = make_variant(price=0, stock=5)
    order = make_order((variant, 2), shipping_method=make_method(price_cents=0).pk)
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 2})
    order.refresh_from_db()
    assert (order.status, order.is_free_sale) == ("fulfilled", True)
    assert cancel_order(order=order)
    variant.refresh_from_db()
    order.refresh_from_db()
    assert (order.status, variant.stock, variant.reserved) == ("cancelled", 3, 0)


@pytest.mark.both_databases
def test_an_order_whose_pieces_are_all_refunded_has_nothing_to_ship(admin_client: Client) -> None:
    order = make_paid_order((make_variant(stock=5), 2))
    path = f"/admin/orders/ship/{order.pk}/"
    assert path in admin_client.get(f"/admin/orders/inspect/{order.pk}/").content.decode()
    # Its refund is pending: the order is still paid.
    refund_order(order=order)
    order.refresh_from_db()
    assert order.status == "paid"
    assert path not in admin_client.get(f"/admin/orders/inspect/{order.pk}/").content.decode()


@pytest.mark.both_databases
def test_a_free_digital_order_can_be_cancelled() -> None:
    order = make_order((make_variant(price=0, stock=None, product={"kind": "digital"}), 1))
    assert order.status == "fulfilled"
    assert cancel_order(order=order)
    order.refresh_from_db()
    assert order.status == "cancelled"


@pytest.mark.both_databases
def test_a_free_order_can_be_cancelled_while_nothing_was_sent() -> None:
    variant = make_variant(price=0, stock=5)
    order = make_order((variant, 2), shipping_method=make_method(price_cents=0).pk)
    assert order.status == "paid"
    assert cancel_order(order=order)
    variant.refresh_from_db()
    order.refresh_from_db()
    assert (order.status, variant.stock, variant.reserved) == ("cancelled", 5, 0)
