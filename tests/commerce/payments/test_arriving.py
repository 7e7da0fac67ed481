"""Money that arrives late, twice, too much, too little, in another currency or for what has changed, for every kind of sale."""

import re
from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core import registry
from cms_api.core.errors import Invalid
from commerce.payments.models import Payment
from commerce.payments.selectors import payments_to_settle
from commerce.payments.services import (
    apply_unapplied,
    close_payments,
    decide_test_payment,
    refund_unapplied,
    settle,
    start_payment,
)
from commerce.payments.services.checks import find_mistakes
from commerce.payments.services.outcomes import apply_outcome
from commerce.payments.services.sweeping import sweep_payments
from commerce.payments.types import MOVES, Outcome, PaymentStatus
from tests.commerce.sales.declaring import Kind
from tests.commerce.sales.kinds import KINDS, open_business

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def sale(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def test_every_kind_of_sale_is_covered() -> None:
    assert KINDS.keys() == registry.payables().keys() - {"bill"}


def paid_at_provider(payable: str, record: Any) -> Payment:
    """An attempt that the provider says is paid, of which the site does not know yet, and whose page is gone."""
    payment = start_payment(payable=payable, record_id=record.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    Payment.objects.filter(pk=payment.pk).update(status=PaymentStatus.EXPIRED)
    return payment


def is_paid(sale: Kind, record: Any) -> bool:
    return sale.is_paid(type(record)._default_manager.get(pk=record.pk))


def to_settle() -> list[int]:
    return [payment.amount_cents for payment in payments_to_settle().order_by("pk")]


def test_it_works(sale: Kind) -> None:
    """Also late, when the page of the attempt is gone."""
    record = sale.make()
    assert settle(payment_id=paid_at_provider(sale.payable, record).pk).unapplied == ""
    assert (is_paid(sale, record), to_settle()) == (True, [])


def test_twice(sale: Kind) -> None:
    record = sale.make()
    first, second = (paid_at_provider(sale.payable, record) for _ in range(2))
    settle(payment_id=first.pk)
    settle(payment_id=first.pk)
    again = settle(payment_id=second.pk)
    assert (is_paid(sale, record), to_settle()) == (True, [again.amount_cents])
    with pytest.raises(Invalid):
        apply_unapplied(payment=again)
    refund_unapplied(payment=again)
    assert (is_paid(sale, record), to_settle()) == (True, [])


def test_too_much_is_applied_as_far_as_it_is_due(sale: Kind) -> None:
    record = sale.make()
    payment = paid_at_provider(sale.payable, record)
    sale.set_amount(record, payment.amount_cents - 700)
    settled = settle(payment_id=payment.pk)
    assert (settled.unapplied, settled.amount_cents) == ("", payment.amount_cents - 700)
    assert (is_paid(sale, record), to_settle()) == (True, [700])
    rest = payments_to_settle().get()
    assert (rest.charge, "only" in rest.unapplied) == (settled.charge, True)
    refund_unapplied(payment=rest)
    # The money that went back was never the record's.
    assert (is_paid(sale, record), to_settle()) == (True, [])


def test_too_little(sale: Kind) -> None:
    record = sale.make()
    payment = paid_at_provider(sale.payable, record)
    sale.set_amount(record, payment.amount_cents + 700)
    settled = settle(payment_id=payment.pk)
    if sale.at_asked_price:
        assert (is_paid(sale, record), settled.unapplied, to_settle()) == (True, "", [])
        return
    assert not is_paid(sale, record)
    assert bool(re.search("is due|in part", settled.unapplied)) is not sale.in_parts
    assert to_settle() == ([] if sale.in_parts else [payment.amount_cents])


def test_another_currency_is_refused(sale: Kind, admin_client: Client) -> None:
    record = sale.make()
    payment = paid_at_provider(sale.payable, record)
    sale.set_currency(record, "jpy")
    settled = settle(payment_id=payment.pk)
    assert "another currency" in settled.unapplied
    # Every kind of sale has the page on which staff decide about it.
    page = admin_client.get(f"/admin/payments/inspect/{settled.pk}/")
    assert page.status_code == 200
    assert "Refund" in page.content.decode()
    with pytest.raises(Invalid, match="another currency"):
        apply_unapplied(payment=settled)
    assert (is_paid(sale, record), to_settle()) == (False, [payment.amount_cents])


def test_what_needs_it_no_more(sale: Kind) -> None:
    record = sale.make()
    payment = paid_at_provider(sale.payable, record)
    sale.set_ended(record)
    assert settle(payment_id=payment.pk).unapplied
    assert (is_paid(sale, record), to_settle()) == (False, [payment.amount_cents])


@pytest.mark.parametrize(
    ("sale", "status"),
    list(zip(KINDS.values(), cycle([PaymentStatus.OPEN, PaymentStatus.PROCESSING]), strict=False)),
    ids=KINDS,
    indirect=["sale"],
)
def test_an_attempt_ends_by_its_own_clock_without_its_provider(
    sale: Kind, status: PaymentStatus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keys have been removed, and the page of the provider has lapsed, or its money has not come for months."""
    record = sale.make()
    payment = start_payment(payable=sale.payable, record_id=record.pk)
    # Stripe without keys.
    Payment.objects.update(provider="stripe")
    apply_outcome(payment.pk, Outcome(status))
    assert not close_payments(payable=sale.payable, record_id=record.pk)
    later = timezone.now() + timedelta(days=31)
    monkeypatch.setattr(timezone, "now", lambda: later)
    sweep_payments()
    payment.refresh_from_db()
    assert (payment.status, payment.is_unconfirmed) == ("expired", True)
    assert close_payments(payable=sale.payable, record_id=record.pk)


@pytest.mark.parametrize("said", PaymentStatus)
def test_what_a_message_moves(said: PaymentStatus) -> None:
    sale, paid = KINDS["invoice"], True
    for status in PaymentStatus:
        if paid:
            record = sale.make()
            payment = start_payment(payable="invoice", record_id=record.pk)
        Payment.objects.filter(pk=payment.pk).update(status=status)
        moves = status in MOVES.get(said, ())
        assert apply_outcome(payment.pk, Outcome(said)).status == (said if moves else status)
        paid = is_paid(sale, record)
        assert paid == (moves and said == PaymentStatus.SUCCEEDED)


class Incomplete:
    """A payable that lacks most methods, and takes other arguments in another."""

    def lock(self, number: int) -> None: ...


def test_an_incomplete_payable_stops_the_start() -> None:
    assert list(find_mistakes(registry.payables())) == []
    sentences = [mistake.msg for mistake in find_mistakes({"parcel": Incomplete()})]
    assert "The payable 'parcel' has no method 'alternatives'." in sentences
    assert "'lock' of the payable 'parcel' takes other arguments than it is called with." in sentences
