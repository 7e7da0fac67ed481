"""Test payments, which move no money: the payment page is ours, and the state is stored with the attempt."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row

from ...models import Payment, Refund
from ...types import Arrival, DisputeStatus, Event, Outcome, PaymentStatus, RefundOutcome, RefundStatus, Session, StoredMethod
from .base import Provider, confirm_path

DECLINED = "The test payment was declined."
METHOD = "Test card"


class OfflineProvider(Provider):
    def start(self, payment: Payment) -> Session:
        return Session(f"test_{payment.pk}", confirm_path(payment))

    def charge(self, payment: Payment) -> Outcome:
        decide(payment=payment, status=PaymentStatus.SUCCEEDED)
        return self.fetch(payment)

    def find_charge(self, payment: Payment) -> Outcome | None:
        return self.fetch(payment) if Payment.objects.get(pk=payment.pk).provider_state else None

    def fetch(self, payment: Payment) -> Outcome:
        row = Payment.objects.get(pk=payment.pk)
        status = PaymentStatus(row.provider_state.get("status", PaymentStatus.OPEN))
        if status == PaymentStatus.OPEN and row.expires_at and row.expires_at <= timezone.now():
            decide(payment=row, status=PaymentStatus.EXPIRED)
            return self.fetch(payment)
        if status in {PaymentStatus.SUCCEEDED, PaymentStatus.PROCESSING}:
            method = StoredMethod(f"test_{row.pk}", label=METHOD) if row.saves_method else None
            return Outcome(status, row.amount, charge=f"test_{row.pk}", method=method)
        return Outcome(status, error=DECLINED if status == PaymentStatus.FAILED else "")

    def find_arrival(self, reference: str) -> Arrival | None:
        return None

    def expire(self, payment: Payment) -> None:
        decide(payment=payment, status=PaymentStatus.EXPIRED)

    def refund(self, refund: Refund) -> RefundOutcome:
        return RefundOutcome(RefundStatus.SUCCEEDED, f"test_refund_{refund.pk}")

    fetch_refund = refund

    def refunds(self, payment: Payment) -> list[RefundOutcome]:
        return []

    def dispute(self, payment: Payment) -> DisputeStatus | None:
        return None

    def read_event(self, body: bytes, headers: Mapping[str, str]) -> Event:
        raise Invalid({"signature": "Test payments send no messages."})


@transaction.atomic
def decide(*, payment: Payment, status: PaymentStatus) -> bool:
    """Decide a test payment, as its payment page does; return False if it is decided already, or has expired."""
    row = get_row(Payment.objects.select_for_update(no_key=True), payment.pk)
    is_over = row.expires_at is not None and row.expires_at <= timezone.now() and status != PaymentStatus.EXPIRED
    if row.provider_state or is_over:
        return False
    row.provider_state = {"status": status.value}
    row.save(update_fields=["provider_state"])
    return True
