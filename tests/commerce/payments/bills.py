"""The tests pay for bills, which are kept in the table of plans, as any table will do.

The price is what is due, `enabled` whether it can be paid, `position` how often it was, and the description what was called.
"""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.module import Module, Records
from commerce.common.types.money import Money
from commerce.members.models import Plan
from commerce.payments.types import Due, Payable

MODULE = Module(
    name="bills",
    title="Bills",
    description="Of the tests.",
    feature="real_estate",
    uses=("payments",),
    records=Records(payables={"bill": "tests.commerce.payments.bills.BILLS"}),
)


class Crash(Exception):
    """Raised by a broken module."""


class Bills(Payable):
    #: The calls that fail with `Crash`.
    crashes: set[str] = set()
    #: When the bills that are made next can no longer be paid, and whether their methods are stored.
    expires_at: Any = None
    saves_method: bool = False

    def lock(self, pk: int) -> Plan | None:
        return Plan.objects.select_for_update(no_key=True).filter(pk=pk).first()

    def due(self, record: Plan) -> Due:
        if not record.enabled:
            raise Invalid({"status": "The bill was cancelled."})
        if record.position:
            raise Invalid({"status": "The bill was paid."})
        return Due(
            record.price,
            f"Bill {record.name}",
            "mia@example.com",
            "/bills/1",
            "/bills/1/cancel",
            expires_at=self.expires_at,
            saves_method=self.saves_method,
        )

    def amount_due(self, record: Plan) -> Money | None:
        return None if record.position else record.price

    def apply_payment(self, record: Plan, payment: Any) -> bool:
        if record.position or not record.enabled:
            return False
        record.position += 1
        self._note(record, "paid")
        return True

    def record_processing(self, record: Plan, payment: Any) -> None:
        self._note(record, "processing")

    def record_failure(self, record: Plan, payment: Any) -> None:
        self._note(record, "failed")

    def record_refund(self, record: Plan, refund: Any) -> None:
        self._note(record, f"{'refunded' if refund.status == 'succeeded' else 'returned'}:{refund.amount_cents}")

    def alternatives(self, payment: Any) -> list[tuple[int, str]]:
        others = Plan.objects.filter(enabled=True, currency=payment.currency).exclude(pk=payment.record_id)
        return [(plan.pk, plan.name) for plan in others]

    def url(self, pk: int) -> str:
        return reverse("property_listings:inspect", args=[pk])

    def name(self, pk: int) -> str:
        return f"Bill {pk}"

    def _note(self, record: Plan, call: str) -> None:
        record.description = f"{record.description} {call}".strip()
        record.save()
        if call in self.crashes:
            raise Crash(call)


BILLS = Bills()


def make_bill(cents: int = 1250, *, currency: str = "usd", name: str = "1042") -> Plan:
    now = timezone.now()
    number = Plan.objects.count()
    return Plan.objects.create(
        name=name, slug=f"bill-{number}", price_cents=cents, currency=currency, created_at=now, updated_at=now
    )


def calls(bill: Plan) -> list[str]:
    """The calls for a bill, in order."""
    return Plan.objects.values_list("description", flat=True).get(pk=bill.pk).split()
