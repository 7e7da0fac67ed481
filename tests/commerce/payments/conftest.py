"""Every test of payments has bills to pay, and a stand-in for Stripe."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core import registry
from cms_api.flags.services import set_setting, switch_feature
from commerce.members.models import Plan
from commerce.payments.models import Payment
from commerce.payments.services import settle, start_payment
from tests.modules import install

from .bills import BILLS, MODULE, make_bill
from .stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub, sign

EVENTS = "/payments/events/stripe"


@pytest.fixture(autouse=True)
def bills_on(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(monkeypatch, *registry.modules(), MODULE)
    switch_feature(name="real_estate", on=True)
    yield
    BILLS.crashes, BILLS.expires_at, BILLS.saves_method = set(), None, False


@pytest.fixture
def stub(settings: Any, bills_on: None) -> Iterator[StripeStub]:
    stub = StripeStub().start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()


@pytest.fixture
def test_payments(bills_on: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


@pytest.fixture
def bill(bills_on: None) -> Plan:
    return make_bill()


@pytest.fixture
def payment(stub: StripeStub, bill: Plan) -> Payment:
    """An open attempt at Stripe."""
    return start(bill)


@pytest.fixture
def paid(stub: StripeStub, payment: Payment) -> Payment:
    stub.pay(payment.reference)
    return settle(payment_id=payment.pk)


@pytest.fixture
def commits(django_capture_on_commit_callbacks: Any) -> Callable[[], Any]:
    """A block after which what waits for the commit is done."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let so much time pass, for the site; the stand-in for Stripe does not notice."""
    now = timezone.now

    def passed(**time: int) -> None:
        later = timezone.now() - now() + timedelta(**time)
        monkeypatch.setattr(timezone, "now", lambda: now() + later)

    return passed


def start(bill: Plan) -> Payment:
    return start_payment(payable="bill", record_id=bill.pk)


def send(event: dict[str, Any], *, signature: str | None = None) -> Any:
    """Send a message as Stripe does."""
    body = json.dumps(event).encode()
    headers = {"Stripe-Signature": sign(body) if signature is None else signature}
    return Client().post(EVENTS, body, content_type="application/json", headers=headers)


def statuses(bill: Plan) -> list[str]:
    rows = Payment.objects.filter(payable="bill", record_id=bill.pk).order_by("pk")
    return list(rows.values_list("status", flat=True))
