"""Refunds of orders: by pieces, of an amount, of all that is left; restocking, and refunds that fail."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.common.services.taxes import save_tax_rule
from commerce.common.types.tax import TaxRate
from commerce.common.types.totals import LineItem, totals_of
from commerce.crm.models import Activity
from commerce.payments.models import Payment, Refund
from commerce.payments.services import decide_test_payment, record_refund, settle, start_payment
from commerce.payments.services.refunds import apply_refund
from commerce.payments.types import PaymentStatus, RefundOutcome, RefundStatus
from commerce.shop.models import Order, OrderItem, OrderRefund, ProductVariant
from commerce.shop.services import ending
from commerce.shop.services.ending import refund_order
from commerce.shop.services.fulfilling import fulfill_order
from commerce.shop.types.orders import PAYABLE
from tests.client import together
from tests.figures import figure

from .builders import make_code, make_method, make_order, make_paid_order, make_variant
from .outcomes import kinds, outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def commits(django_capture_on_commit_callbacks: Any) -> Any:
    """A block after which refunds have been sent."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def mails() -> list[str]:
    return list(OutgoingMail.objects.filter(template="order_refunded").values_list("text", flat=True))


def actions(order: Order) -> list[str]:
    found = ModelLogEntry.objects.filter(object_id=str(order.pk), action__startswith="shop.").order_by("pk")
    return list(found.values_list("action", flat=True))


@pytest.mark.both_databases
def test_it_works(commits: Any) -> None:
    switch_feature(name="crm", on=True)
    order = make_paid_order((make_variant(price=1000, stock=10), 2))
    item = order.items.get()
    with commits():
        refund = refund_order(order=order, pieces={item.pk: 1}, restock=True, reason="Broken")
    assert (refund.amount_cents, refund.reason) == (1000, "Broken")
    assert refund.items == [{"item": item.pk, "quantity": 1, "in_stock": 1}]
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, order.items.get().refunded) == ("paid", 1000, 1)
    assert ProductVariant.objects.get().stock == 9
    assert ["$10.00" in text for text in mails()] == [True]
    assert actions(order)[-2:] == ["shop.refund_order", "shop.refunded"]
    assert Activity.objects.filter(summary=f"Refunded $10.00 of order {order.number}").exists()
    with commits():
        assert refund_order(order=order).amount_cents == 1500
    order.refresh_from_db()
    assert (order.status, order.refunded_cents) == ("refunded", 2500)
    assert kinds()[-1] == "order.status_changed"
    # The pieces were not asked to be put back.
    assert ProductVariant.objects.get().stock == 9


def test_an_amount(commits: Any) -> None:
    order = make_paid_order((make_variant(price=1000), 2))
    with commits():
        refund_order(order=order, amount_cents=1)
        refund_order(order=order, amount_cents=2499)
    order.refresh_from_db()
    # The rest takes the pieces that were never sent with it, as it does without an amount.
    assert (order.status, order.items.get().refunded) == ("refunded", 2)


def test_the_whole_amount_puts_back_what_was_never_sent(commits: Any) -> None:
    order = make_paid_order((make_variant(stock=10), 3))
    with commits():
        refund = refund_order(order=order, amount_cents=order.total_cents, restock=True)
    assert refund.is_restocked
    assert ProductVariant.objects.get().stock == 10


def test_stock_that_cannot_be_put_back_says_why(commits: Any) -> None:
    part, sent, uncounted = (make_paid_order((make_variant(stock=stock), 2)) for stock in (10, 10, None))
    fulfill_order(order=sent)
    for order, amount, why in (
        (part, 100, "Choose how many of which items go back"),
        (sent, None, "All items have been sent"),
        (uncounted, None, "aren't counted"),
    ):
        with pytest.raises(Invalid, match=why) as refusal:
            refund_order(order=order, amount_cents=amount, restock=True)
        assert list(refusal.value.errors) == ["restock"]
    assert (OrderRefund.objects.count(), Refund.objects.count()) == (0, 0)


def test_a_whole_refund_restocks_what_was_never_sent(commits: Any) -> None:
    order = make_paid_order((make_variant(stock=10), 3))
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 1})
    with commits():
        refund_order(order=order, restock=True)
    assert ProductVariant.objects.get().stock == 9
    order.refresh_from_db()
    assert (order.status, order.items.get().refunded) == ("refunded", 2)


def test_the_last_pieces_that_were_to_be_sent(commits: Any) -> None:
    order = make_paid_order((make_variant(), 2))
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 1})
    with commits():
        refund_order(order=order, pieces={item.pk: 1})
    order.refresh_from_db()
    assert (order.status, order.fulfilled_at is not None) == ("fulfilled", True)


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"amount_cents": 0}, "amount_cents"),
        ({"amount_cents": -1}, "amount_cents"),
        ({"amount_cents": 2501}, "amount_cents"),
        ({"amount_cents": 10**30}, "amount_cents"),
        ({"pieces": {-1: 3}}, "items"),
        ({"pieces": {-1: -1}}, "items"),
        ({"pieces": {10**9: 1}}, "items"),
        ({"reason": "a\0b"}, "reason"),
        ({"reason": "x" * 501}, "reason"),
    ],
    ids=str,
)
def test_never_more_than_was_paid(values: dict[str, Any], key: str) -> None:
    variant = make_variant(price=1000, stock=10)
    order = make_paid_order((variant, 2))
    item = order.items.get()
    if "pieces" in values:
        values = {"pieces": {item.pk if pk == -1 else pk: number for pk, number in values["pieces"].items()}}
    with pytest.raises(Invalid) as refusal, transaction.atomic():
        refund_order(order=order, restock=True, **values)
    assert set(refusal.value.errors) == {key}
    variant.refresh_from_db()
    assert (OrderRefund.objects.count(), Refund.objects.count(), variant.stock) == (0, 0, 8)
    assert order.items.get().refunded == 0


@pytest.mark.both_databases
def test_an_order_that_is_not_paid_has_nothing_to_refund() -> None:
    with pytest.raises(Invalid) as refusal:
        refund_order(order=make_order())
    assert set(refusal.value.errors) == {"status"}


def test_the_last_piece_gives_what_the_discount_left(commits: Any) -> None:
    make_code("THIRD", percent=Decimal("33.33"))
    save_tax_rule(values={"country": "US", "label": "Tax", "percent": Decimal("7.25")})
    order = make_paid_order((make_variant(price=333), 7), code="THIRD")
    item = order.items.get()
    with commits():
        given_back = [refund_order(order=order, pieces={item.pk: 1}).amount_cents for _ in range(7)]
    assert sum(given_back) == item.paid_cents
    with commits():
        rest = refund_order(order=order)
    assert rest.amount_cents == order.shipping_cents + order.shipping_tax_cents
    order.refresh_from_db()
    assert (order.status, order.refunded_cents) == ("refunded", order.total_cents)


@settings(max_examples=figure(75, 300), deadline=None)
@given(
    lines=st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 12)), min_size=1, max_size=4),
    percent=st.integers(0, 3000),
    discount=st.integers(0, 10_000),
    inclusive=st.booleans(),
    data=st.data(),
)
def test_piece_by_piece_it_adds_up_to_what_was_paid(
    lines: list[tuple[int, int]], percent: int, discount: int, inclusive: bool, data: st.DataObject
) -> None:
    rate = TaxRate("Tax", Decimal(percent) / 100)
    priced = [LineItem(cents, quantity, rate=rate) for cents, quantity in lines]
    taken_off = min(discount, sum(each.price_cents for each in priced))
    totals = totals_of(priced, discount_cents=taken_off, inclusive=inclusive)
    order = Order(prices_include_tax=inclusive)
    items = [
        OrderItem(
            order=order,
            quantity=quantity,
            unit_price_cents=cents,
            discount_cents=total.discount_cents,
            tax_cents=total.tax_cents,
        )
        for (cents, quantity), total in zip(lines, totals.lines, strict=True)
    ]
    given_back, numbered = 0, dict(enumerate(items))
    for number, item in numbered.items():
        while left := item.quantity - item.refunded:
            pieces = data.draw(st.integers(1, left))
            price = ending.amount_of(numbered, {number: pieces}, None, totals.total_cents, "usd")
            assert price >= 0
            given_back += price
            item.refunded += pieces
    assert given_back == totals.total_cents


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        outcome_of = "commerce.payments.services.refunds._outcome"
        patched.setattr(outcome_of, lambda refund: RefundOutcome(RefundStatus.PENDING, f"test_refund_{refund.pk}"))
        yield


def pay_online(order: Order) -> Order:
    set_setting(key="payments.allow_test_payments", value=True)
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    return order


@pytest.mark.django_db(transaction=True)
def test_a_refund_that_fails_later(monkeypatch: pytest.MonkeyPatch) -> None:
    order = pay_online(make_order((make_variant(price=1000), 2)))
    with failing(monkeypatch):
        refund_order(order=order)
    order.refresh_from_db()
    # It is on its way: nothing has been given back, and nothing is left to give.
    assert (order.status, order.refunded_cents, mails()) == ("paid", 0, [])
    assert outcome(lambda: refund_order(order=order, amount_cents=1)) == "amount_cents"
    refund = Refund.objects.get()
    apply_refund(refund.pk, RefundOutcome(RefundStatus.SUCCEEDED, "test_refund"))
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, len(mails())) == ("refunded", 2500, 1)
    apply_refund(refund.pk, RefundOutcome(RefundStatus.FAILED, "test_refund"))
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, len(mails())) == ("paid", 0, 1)
    assert actions(order)[-1] == "shop.refund_failed"
    assert refund_order(order=order).amount_cents == 2500
    order.refresh_from_db()
    assert (order.status, Payment.objects.get().refunded_cents) == ("refunded", 2500)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("was_given", [False, True], ids=["refused", "sent back"])
def test_the_pieces_of_a_failed_refund_are_given_back(was_given: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = make_variant(price=1000, stock=10)
    order = pay_online(make_order((variant, 3)))
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 1})

    def refund(*outcomes: RefundStatus, restock: bool) -> None:
        with failing(monkeypatch):
            refund_order(order=order, pieces={item.pk: 2}, restock=restock)
        for status in outcomes:
            apply_refund(Refund.objects.latest("pk").pk, RefundOutcome(status))
        for each in (order, item, variant):
            each.refresh_from_db()

    fails = [RefundStatus.SUCCEEDED, RefundStatus.FAILED] if was_given else [RefundStatus.FAILED]
    before = kinds().count("order.status_changed")
    for number, restock in enumerate((True, True, False, True), 1):
        refund(*fails, restock=restock)
        assert (item.refunded, item.unshipped, order.status, order.fulfilled_at) == (0, 2, "paid", None)
        # Fulfilled with the last pieces that were to be sent, and to be sent again.
        assert kinds().count("order.status_changed") == before + 2 * number
        # The business has them, and counts them once.
        assert variant.stock == 9
    assert actions(order)[-1] == "shop.refund_failed"
    refund(RefundStatus.SUCCEEDED, restock=True)
    assert (item.refunded, item.in_stock_again, order.status, variant.stock) == (2, 0, "fulfilled", 9)
    assert list(OrderRefund.objects.values_list("has_failed", flat=True)) == [True, True, True, True, False]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("restock", [False, True])
def test_a_failed_refund_that_is_made_in_another_way_takes_its_pieces(restock: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = make_variant(price=1000, stock=10)
    order = pay_online(make_order((variant, 3)))
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 1})
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2}, restock=restock)
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))
    assert record_refund(payment=Payment.objects.get())
    for each in (order, item, variant):
        each.refresh_from_db()
    assert (item.refunded, item.unshipped, item.in_stock_again, order.status) == (2, 0, 0, "fulfilled")
    assert (variant.stock, order.refunded_cents, OrderRefund.objects.get().has_failed) == (9 if restock else 7, 2000, False)


@pytest.mark.django_db(transaction=True)
def test_pieces_that_were_sent_before_a_failed_refund_is_made_are_refunded_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    order = pay_online(make_order((make_variant(price=1000, stock=10), 3)))
    item = order.items.get()
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2})
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))
    fulfill_order(order=order)
    assert record_refund(payment=Payment.objects.get())
    item.refresh_from_db()
    order.refresh_from_db()
    assert (item.shipped, item.refunded, order.status, order.refunded_cents) == (3, 2, "fulfilled", 2000)


@pytest.mark.django_db(transaction=True)
def test_pieces_that_were_refunded_once_more_meanwhile_count_once(monkeypatch: pytest.MonkeyPatch) -> None:
    order = pay_online(make_order((make_variant(price=1000, stock=10), 3)))
    item = order.items.get()
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2}, amount_cents=500)
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))
    refund_order(order=order, pieces={item.pk: 2}, amount_cents=500)
    assert record_refund(payment=Payment.objects.get())
    item.refresh_from_db()
    order.refresh_from_db()
    assert (item.refunded, order.refunded_cents) == (3, 1000)


@pytest.mark.django_db(transaction=True)
def test_the_pieces_of_a_failed_refund_are_taken_once_it_is_made_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = make_variant(price=1000, stock=10)
    order = pay_online(make_order((variant, 3)))
    item = order.items.get()
    fulfill_order(order=order, pieces={item.pk: 1})
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2}, restock=True)
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))
    assert record_refund(payment=Payment.objects.get(), note="Bank transfer")
    for each in (order, item, variant):
        each.refresh_from_db()
    # Nothing is to be sent that was paid back, and what is in the stock is not taken to be sold.
    assert (item.refunded, item.unshipped, item.in_stock_again, variant.stock) == (2, 0, 0, 9)
    assert (order.status, order.refunded_cents, OrderRefund.objects.get().has_failed) == ("fulfilled", 2000, False)
    assert order.fulfilled_at


@pytest.mark.django_db(transaction=True)
def test_a_refund_that_is_made_by_hand_takes_no_more_pieces_than_were_sold(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = make_variant(price=1000, stock=10)
    order = pay_online(make_order((variant, 3)))
    item = order.items.get()
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2}, restock=True)
    apply_refund(Refund.objects.get().pk, RefundOutcome(RefundStatus.FAILED))
    refund_order(order=order, amount_cents=1, pieces={item.pk: 2}, restock=True)
    assert record_refund(payment=Payment.objects.get())
    item.refresh_from_db()
    variant.refresh_from_db()
    assert (item.refunded, item.in_stock_again, variant.stock) == (3, 0, 9)


@pytest.mark.django_db(transaction=True)
def test_a_refund_that_fails_in_part_keeps_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two payments: the pieces of a refund are given back once neither has gone back."""
    order = pay_online(make_order((make_variant(price=1000), 2)))
    item = order.items.get()
    online = Payment.objects.get()
    Payment.objects.filter(pk=online.pk).update(amount_cents=1500)
    Payment.objects.create(
        **{name: getattr(online, name) for name in ("payable", "record_id", "description", "currency", "status", "provider")},
        amount_cents=1000,
        created_at=online.created_at,
        updated_at=online.updated_at,
    )
    with failing(monkeypatch):
        refund_order(order=order, pieces={item.pk: 2})
    first, second = Refund.objects.order_by("pk")
    apply_refund(first.pk, RefundOutcome(RefundStatus.SUCCEEDED))
    apply_refund(second.pk, RefundOutcome(RefundStatus.FAILED))
    assert order.items.get().refunded == 2
    apply_refund(first.pk, RefundOutcome(RefundStatus.FAILED))
    assert order.items.get().refunded == 0


@pytest.mark.django_db(transaction=True)
def test_two_people_refund_at_once() -> None:
    order = make_paid_order((make_variant(price=1000, stock=10), 1))
    made = together(lambda _: outcome(lambda: refund_order(order=order, restock=True)), 6)
    # The others find nothing left, or, once the refund has been sent, an order that is refunded.
    assert made.count("done") == 1
    assert set(made) <= {"done", "status", "amount_cents"}
    assert (OrderRefund.objects.count(), Refund.objects.count(), len(mails())) == (1, 1, 1)
    assert ProductVariant.objects.get().stock == 10


def test_pieces_in_dinars_are_refunded_in_amounts_that_can_be_paid(settings: Any, commits: Any) -> None:
    """Their price is rounded as the total was, so that all of them give back what was paid."""
    settings.SITE_CURRENCY = "kwd"
    set_setting(key="payments.allow_test_payments", value=True)
    make_method(price_cents=0)
    order = make_order((make_variant(price=1112), 3), (make_variant(price=1115), 2))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).amount_cents == 5570
    amounts = []
    for item in order.items.all():
        for _ in range(item.quantity):
            with commits():
                amounts.append(refund_order(order=order, pieces={item.pk: 1}).amount_cents)
    assert (amounts, sum(amounts)) == ([1110, 1110, 1120, 1110, 1120], 5570)
    assert Order.objects.get().status == "refunded"


def test_a_piece_that_costs_less_than_can_be_paid_gives_back_a_step(settings: Any, commits: Any) -> None:
    settings.SITE_CURRENCY = "kwd"
    set_setting(key="payments.allow_test_payments", value=True)
    make_method(price_cents=0)
    order = make_order((make_variant(price=4), 4))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).amount_cents == 20
    item = order.items.get()
    for cents in (10, 10):
        with commits():
            assert refund_order(order=order, pieces={item.pk: 1}).amount_cents == cents
