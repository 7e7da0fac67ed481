"""The stages of a sale, and how one leads to another. No database access."""

from collections.abc import Collection, Mapping
from enum import StrEnum


class Stage(StrEnum):
    """Where a sale stands, whatever its kind calls that: a meal is paid while it is placed, prepared and ready."""

    #: It waits for its payment.
    PENDING = "pending"
    PAID = "paid"
    #: All its money has gone back.
    REFUNDED = "refunded"
    CANCELLED = "cancelled"


#: The stages that each can become, for all kinds of sales; `SalePayable.more_transitions` has those of one kind.
TRANSITIONS: Mapping[Stage, Collection[Stage]] = {
    Stage.PENDING: {Stage.PAID, Stage.CANCELLED},
    Stage.PAID: {Stage.REFUNDED},
    Stage.REFUNDED: {Stage.PAID},
    Stage.CANCELLED: set(),
}
