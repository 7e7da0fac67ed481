"""Sales that keep something from others while they wait for their payment."""

from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.payments.types import LONGEST_TO_PAY, SHORTEST_PAGE_LIFETIME

from .paying import SalePayable, SaleT


def reservation_end() -> datetime:
    """Return until when a sale that is placed now, or whose payment begins now, waits for its payment."""
    return timezone.now() + SHORTEST_PAGE_LIFETIME


class ReservedPayable(SalePayable[SaleT]):
    """A kind of sale that keeps a seat, a time or a table while it waits."""

    #: The refusal once nobody can begin to pay any more.
    not_in_time: ClassVar[str] = "The time to pay for this order has ended."

    def reserve(self, record: Any) -> datetime | None:
        """Take what is sold again, for as long as a payment page lives, unless the sale has it for good."""
        if not self.is_awaiting(record):
            return None
        if self.is_too_late(record):
            raise Invalid({"status": self.not_in_time})
        until = reservation_end()
        self.take(record, until)
        return until

    def take(self, record: Any, until: datetime) -> None:
        """Take what is sold until a moment, or extend that. Raises Invalid if others have it."""
        raise NotImplementedError

    def pays_until(self, record: Any) -> datetime:
        """Return until when a payment can begin, however often somebody begins to pay."""
        end: datetime = record.created_at + LONGEST_TO_PAY
        return end

    def is_too_late(self, record: Any) -> bool:
        return timezone.now() > self.pays_until(record)
