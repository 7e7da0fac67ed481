"""The names by which other systems know records: random keys, and primary keys only for records that are older than keys."""

import pytest
from django.utils import timezone

from cms_api.http.external_keys import ExternalRecord, with_external_id
from commerce.payments.models import Payment
from tests.commerce.payments.bills import make_bill

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def payment() -> Payment:
    now = timezone.now()
    bill = make_bill()
    about = {"payable": "bill", "record_id": bill.pk, "amount_cents": 100, "currency": "usd"}
    return Payment.objects.create(**about, created_at=now, updated_at=now)


def find(value: str) -> list[ExternalRecord]:
    return list(with_external_id(Payment.objects.all(), value))


def test_it_works(payment: Payment) -> None:
    assert len(payment.external_id) == 32
    assert find(payment.external_id) == [payment]


def test_a_number_finds_only_a_record_that_is_older_than_keys(payment: Payment) -> None:
    assert find(str(payment.pk)) == []
    Payment.objects.update(external_key=None)
    payment.refresh_from_db()
    assert payment.external_id == str(payment.pk)
    assert find(payment.external_id) == [payment]


@pytest.mark.parametrize("value", ["", "0", "-1", "x", "١", "9" * 19, "9" * 400, "f" * 32, "F" * 32, "1\0", "f" * 33])
def test_other_texts_find_nothing(value: str, payment: Payment) -> None:
    Payment.objects.update(external_key=None)
    assert find(value) == []
