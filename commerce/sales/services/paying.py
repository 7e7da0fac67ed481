"""How sales are paid: what is the same for all kinds."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from django.db import transaction
from django.db.models import Model
from django.urls import reverse
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.http.signed_links import SignedLink
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import refunded_cents
from commerce.payments.services import record_payment
from commerce.payments.types import Due, RefundStatus

from ..types import TRANSITIONS, Stage
from .refunding import RefundablePayable

SaleT = TypeVar("SaleT", bound=Model)


class AlreadyPaid(Exception):
    """A sale that a checkout would change has been paid in the meantime, or its payment is on its way."""

    def __init__(self, sale: Any) -> None:
        super().__init__(str(sale))
        self.sale = sale


def read_part(sale: Any, values: Mapping[str, Any]) -> int:
    """Return `amount_cents` of what is paid in parts, by default the balance. Raises Invalid (`amount_cents`)."""
    balance: int = sale.balance_due_cents
    cents = balance if values.get("amount_cents") is None else values["amount_cents"]
    if not 1 <= cents <= balance:
        shown = format_money(Money(balance, sale.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most the balance of {shown}."})
    return int(cents)


class SalePayable(RefundablePayable[SaleT]):
    """A kind of sale as a `commerce.payments.types.Payable`: each says what is due, and what its payment brings about.

    A sale has `status`, `currency`, `total_cents` (also as `total`), `refunded_cents`, `is_pending`, `is_processing` and
    `updated_at`.
    """

    #: The name of its page in the admin.
    admin_page: ClassVar[str]
    #: The customer's page of a sale.
    customer_link: ClassVar[SignedLink[Any]]
    #: The end of the action in the log with which a sale becomes paid.
    paid_action: ClassVar[str] = "paid"
    #: The refusal where no payment is awaited.
    not_due: ClassVar[str] = "This order doesn't wait for a payment."
    #: The statuses of a sale that has been paid, and of one whose whole money has gone back; none if no refund changes it.
    paid_status: ClassVar[str] = ""
    refunded_status: ClassVar[str] = ""
    #: The stage of each status, and the transitions that other kinds of sales don't have.
    stages: ClassVar[Mapping[str, Stage]]
    more_transitions: ClassVar[Mapping[Stage, Collection[Stage]]] = {}

    def is_awaiting(self, record: Any) -> bool:
        """Return whether a payment is still awaited."""
        return self.stages[record.status] == Stage.PENDING

    def may_become(self, before: str, after: str) -> bool:
        """Return whether a sale with the status `before` can get the status `after`."""
        start, end = self.stages[before], self.stages[after]
        return start == end or end in TRANSITIONS[start] or end in self.more_transitions.get(start, ())

    def due(self, record: Any) -> Due:
        self.check_due(record)
        return self.due_with(record, expires_at=self.reserve(record))

    def due_with(self, record: Any, **changes: Any) -> Due:
        """Return what is due of a sale, with other values of `Due` where those of the hooks don't fit."""
        page = self.page(record)
        usual = {"amount": self.amount_to_pay(record), "description": self.describe(record), "email": record.email}
        return Due(**{**usual, "return_path": page, "cancel_path": page, **changes})

    def check_due(self, record: Any) -> None:
        """Raise Invalid (`status`) if no payment may begin."""
        if not self.is_awaiting(record) or record.is_processing:
            raise Invalid({"status": self.not_due})

    def reserve(self, record: Any) -> datetime | None:
        """Reserve what is sold while its customer pays, and return until when; None without an end. Raises Invalid."""
        return None

    def amount_to_pay(self, record: Any) -> Money:
        """Return what a payment that begins now is for."""
        total: Money = record.total
        return total

    def describe(self, record: Any) -> str:
        """Return the line on the payment page and the statement of the card."""
        return str(record)

    def page(self, record: Any) -> str:
        """Return the path of the customer's page."""
        return self.customer_link.path(record)

    def apply_payment(self, record: Any, payment: Any) -> bool:
        """Apply a payment of all that is due."""
        return payment.amount == self.amount_due(record) and self.become_paid(record, payment)

    def become_paid(self, sale: Any, payment: Any = None) -> bool:
        """Bring about what a payment brings about, with `mark_paid`; there is none for a locked sale that is free.

        Return False, changing nothing, or raise Invalid (`status`), if the sale cannot use the money.
        """
        self.mark_paid(sale, payment)
        return True

    def mark_paid(self, sale: Any, payment: Any = None, *, status: str = "") -> None:
        """Save a sale, once, as one that is paid since the money has arrived, and note that in the history."""
        now = timezone.now()
        sale.status, sale.is_processing = status or self.paid_status, False
        sale.paid_at, sale.updated_at = (payment and payment.paid_at) or now, now
        sale.save()
        self.log_paid(sale, payment.recorded_by if payment else None)

    def log_paid(self, sale: Any, user: Any) -> None:
        """Note in the history that a sale is paid."""
        data = {"cents": sale.total_cents, "currency": sale.currency}
        log(instance=sale, action=f"{self.log_prefix}.{self.paid_action}", user=user, data=data)

    def amount_due(self, record: Any) -> Money | None:
        total: Money = record.total
        return total if self.is_awaiting(record) else None

    @transaction.atomic
    def record_payment(self, sale: Any, values: Mapping[str, Any], *, user: Any = None) -> Any:
        """Record money that has arrived outside the site, such as cash, apply it, and return the payment.

        `values` are those of `record_arrived` and, for what is paid in parts, `amount_cents`. Raises NotFound, and Invalid by
        these names, and `status` where nothing is due.
        """
        locked = self.lock_again(sale)
        amount_cents = self.read_amount(locked, values)
        self.prepare_recording(locked, user)
        payment = self.record_arrived(locked, values, amount_cents=amount_cents, user=user)
        self.apply_recorded(locked, payment)
        return payment

    def read_amount(self, sale: Any, values: Mapping[str, Any]) -> int:
        """Return how much has arrived, in minor units: the whole total. Raises Invalid (`status`, `amount_cents`)."""
        if not self.is_awaiting(sale):
            raise Invalid({"status": self.not_due})
        cents: int = sale.total_cents
        return cents

    def prepare_recording(self, sale: Any, user: Any) -> None:
        """Make a locked sale ready for money that staff have taken. Raises Invalid if it may not be taken."""

    def apply_recorded(self, sale: Any, payment: Any) -> None:
        """Apply money that staff have taken. Raises Invalid (`status`), which takes the payment back."""
        if not self.apply_payment(sale, payment):
            raise Invalid({"status": self.not_due})

    def record_arrived(self, sale: SaleT, values: Mapping[str, Any], *, amount_cents: int, user: Any) -> Any:
        """Record money that has arrived outside the site for a locked sale, and return the payment; the caller applies it.

        `values`: `method` (required: cash, check, bank_transfer, other), `paid_at` (an instant that is not in the future, by
        default now), `reference`, `note`. Raises Invalid by these names, and `status` where nothing is due.
        """
        return record_payment(
            payable=self.payable,
            record_id=sale.pk,
            amount_cents=amount_cents,
            method=values.get("method") or "",
            paid_at=values.get("paid_at"),
            reference=values.get("reference") or "",
            note=values.get("note") or "",
            user=user,
        )

    def record_processing(self, record: Any, payment: Any) -> None:
        if self.is_awaiting(record) and not record.is_processing:
            self._set_processing(record, True, changed=self.begin_processing(record))
            log(instance=record, action=f"{self.log_prefix}.payment_processing")

    def begin_processing(self, record: Any) -> Iterable[str]:
        """Change what else changes while money is on its way, which can take days; return the names of the changed fields."""
        return ()

    def record_failure(self, record: Any, payment: Any) -> None:
        if self.is_awaiting(record) and record.is_processing:
            self._set_processing(record, False)
            log(instance=record, action=f"{self.log_prefix}.payment_failed")

    def _set_processing(self, record: Any, is_processing: bool, *, changed: Iterable[str] = ()) -> None:
        record.is_processing, record.updated_at = is_processing, timezone.now()
        record.save(update_fields=["is_processing", "updated_at", *changed])

    def record_refund(self, record: Any, refund: Any) -> None:
        """Add up what has gone back: a refund that has succeeded may still fail."""
        changed = self.add_up(record, refund)
        record.updated_at = timezone.now()
        record.save(update_fields=["updated_at", *changed])
        self.log_refund(record, refund)

    def add_up(self, record: Any, refund: Any) -> Iterable[str]:
        """Change what a refund changes in its sale, without saving it; return the names of the changed fields."""
        record.refunded_cents = min(record.total_cents, refunded_cents(self.payable, record.pk))
        record.status = self.status_after_refund(record)
        return ["refunded_cents", "status"]

    def status_after_refund(self, record: Any) -> str:
        """Return the status of a sale whose `refunded_cents` are new."""
        if record.status not in {self.paid_status, self.refunded_status}:
            return str(record.status)
        return self.refunded_status if record.refunded_cents >= record.total_cents else self.paid_status

    def log_refund(self, record: Any, refund: Any) -> None:
        """Note a refund that has been given, or has failed, in the history; the customer hears of one that is given."""
        is_given = refund.status == RefundStatus.SUCCEEDED
        data = {"cents": refund.amount_cents, "currency": record.currency}
        log(instance=record, action=f"{self.log_prefix}.{'refunded' if is_given else 'refund_failed'}", data=data)
        if is_given:
            self.notify_of_refund(record, refund.amount)

    def notify_of_refund(self, record: Any, amount: Money) -> None:
        """Tell the customer what is given back, and note it in the timeline of the contact."""

    def alternatives(self, payment: Any) -> Sequence[tuple[int, str]]:
        """Return none: most sales have a payment of their own."""
        return []

    def url(self, pk: int) -> str:
        return reverse(self.admin_page, args=[pk])

    def name(self, pk: int) -> str:
        return str(self.model._default_manager.get(pk=pk))
