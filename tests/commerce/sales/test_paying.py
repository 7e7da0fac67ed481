"""All kinds of sales: staff record their money and give it back by the methods that all have in common."""

from typing import Any

import pytest
from wagtail.models import ModelLogEntry

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from commerce.payments.selectors import payments_of
from commerce.sales.services import RefundablePayable, SalePayable

from .kinds import KINDS, make, open_business, reloaded

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PAYABLES: dict[str, RefundablePayable[Any]] = registry.payables()
SALES = {name: kind for name, kind in PAYABLES.items() if isinstance(kind, SalePayable)}


@pytest.fixture(autouse=True)
def _open() -> None:
    open_business()


@pytest.mark.parametrize("payable", SALES)
def test_it_works(payable: str) -> None:
    kind, record = SALES[payable], make(payable)
    payment = kind.record_payment(record, {"method": "cash", "reference": "Till 2"})
    assert KINDS[payable].is_paid(reloaded(record))
    assert (payment.typed_reference, payment.unapplied) == ("Till 2", "")
    (refund,) = kind.refund(record, amount_cents=100, reason="Noise")
    assert (refund.payment, refund.amount_cents, refund.reason) == (payment, 100, "Noise")
    (entry,) = ModelLogEntry.objects.filter(action=f"{kind.log_prefix}.refund")
    assert entry.data == {"cents": 100, "currency": payment.currency}
    (rest,) = kind.refund(record)
    assert rest.amount_cents == payment.amount_cents - 100


@pytest.mark.parametrize("payable", SALES)
def test_what_is_ended_takes_no_money(payable: str) -> None:
    record = make(payable)
    KINDS[payable].set_ended(record)
    with pytest.raises(Invalid) as refusal:
        SALES[payable].record_payment(record, {"method": "cash"})
    assert "status" in refusal.value.errors
    assert not payments_of(payable, record.pk).exists()


@pytest.mark.parametrize("payable", PAYABLES)
def test_nothing_is_given_back_where_nothing_was_paid_or_the_record_is_gone(payable: str) -> None:
    kind, record = PAYABLES[payable], make(payable)
    with pytest.raises(Invalid):
        kind.refund(record, amount_cents=1)
    record.pk = 0
    with pytest.raises(NotFound):
        kind.refund(record, amount_cents=1)
    if isinstance(kind, SalePayable):
        with pytest.raises(NotFound):
            kind.record_payment(record, {"method": "cash"})
