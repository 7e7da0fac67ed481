"""How money goes back: what is the same for all records that customers pay for."""

from typing import Any, ClassVar, Generic, TypeVar

from django.db import transaction
from django.db.models import Model
from wagtail.log_actions import log

from cms_api.core.not_found import found_or_404
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import request_refund
from commerce.payments.types import Payable

RecordT = TypeVar("RecordT", bound=Model)


class RefundablePayable(Payable, Generic[RecordT]):
    """A kind of record that customers pay for, and that gives money back."""

    model: ClassVar[type[Model]]
    #: Its name in `Module.payables`, and the beginning of the actions in its log.
    payable: ClassVar[str]
    log_prefix: ClassVar[str]

    def lock(self, pk: int) -> RecordT | None:
        found: Any = self.model._default_manager.select_for_update(of=("self",)).filter(pk=pk).first()
        return found

    def lock_again(self, record: Any) -> RecordT:
        """Return a record as it is now, locked. Raises NotFound if somebody has deleted it."""
        return found_or_404(self.lock(record.pk))

    @transaction.atomic
    def refund(self, record: Any, *, amount_cents: int | None = None, reason: str = "", user: Any = None) -> list[Any]:
        """Request the refund of what was paid, or of a part of it, and return the refunds; it counts once they have succeeded.

        Raises NotFound, and Invalid (`status`, `amount_cents`, `reason`).
        """
        locked = self.lock_again(record)
        self.check_refundable(locked)
        amount = refundable_cents(self.payable, locked.pk) if amount_cents is None else amount_cents
        refunds = request_refund(payable=self.payable, record_id=locked.pk, amount_cents=amount, reason=reason, user=user)
        data = {"cents": amount, "currency": refunds[0].payment.currency}
        log(instance=locked, action=f"{self.log_prefix}.refund", user=user, data=data)
        return refunds

    def check_refundable(self, record: Any) -> None:
        """Raise Invalid (`status`) if nothing of a locked record may be given back."""
