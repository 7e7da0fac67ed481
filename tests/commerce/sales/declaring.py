"""The form in which the tests of a module declare what it sells: `sales.py` beside them has its `KINDS`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.urls import reverse

Work = Callable[[Any], Any]

PENDING, PROCESSING, PAID = "pending", "processing", "paid"
PARTLY_REFUNDED, REFUNDED, FAILED_REFUND = "partly refunded", "refunded", "failed refund"
LAPSED, PAID_LATE, UNAPPLIED = "lapsed", "paid late", "paid late and unapplied"
DISPUTED, TWICE, CURRENCY, FAILED = "disputed", "paid twice", "paid in another currency", "failed payment"

ON_ITS_WAY = "Your payment is on its way"
LOOKING = "We're looking into your payment."

#: States that look like others where a kind says nothing of its own.
LIKE = {
    PARTLY_REFUNDED: PAID,
    REFUNDED: PAID,
    DISPUTED: PAID,
    TWICE: PAID,
    FAILED_REFUND: PAID,
    CURRENCY: PENDING,
    FAILED: PENDING,
}


def set_values(record: Any, values: Mapping[str, Any]) -> None:
    """Change columns of a record, without its services."""
    type(record)._default_manager.filter(pk=record.pk).update(**values)


def has_status(status: str) -> Callable[[Any], bool]:
    return lambda record: bool(record.status == status)


def linked(link: Any) -> Callable[[Any], str]:
    return lambda record: str(link.path(record))


def button(view: str, link: Any) -> Callable[[Any], str]:
    return lambda record: reverse(view, args=[link.token(record)])


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of record that customers pay for."""

    #: Its name in `Module.payables`.
    payable: str = field(kw_only=False)
    #: Makes a record that waits for its payment.
    make: Callable[[], Any]
    is_paid: Callable[[Any], bool]
    #: The path of the visitor's page, and that to which its button to pay leads.
    page: Callable[[Any], str]
    pays_at: Callable[[Any], str]
    #: The viewset of the admin, and the path of the API's detail if there is one.
    admin: str
    #: The status of the record, and words of the visitor's page, in each state.
    shown: Mapping[str, tuple[str, str]]
    refund: Callable[[Any, int], Any]
    api: str = ""
    #: Ends a record that is not paid: by staff or its customer.
    end: Work | None = None
    #: The time after which a job ends a record that is not paid, and the job.
    lapses_after: timedelta = timedelta(days=40)
    lapse: Callable[[], Any] | None = None
    #: Whether a record that has lapsed can still be paid, and whether money that arrives then is applied.
    is_due_after_lapse: bool = False
    takes_late_money: bool = False
    #: Whether money that has gone back is due again.
    is_due_again: bool = False
    #: The states that no record of the kind can be in, with the reason.
    impossible: Mapping[str, str] = field(default_factory=dict)
    #: The account that sees the page.
    visitor: Callable[[Any], Any] = lambda record: None
    #: Whether the button to pay names the amount, and whether it is for another sale.
    names_amount: bool = True
    sells_again: bool = False
    #: Whether the visitor's page says how much has gone back. One on which money is due again says how much is left.
    shows_refunds: bool = True
    #: Let it cost so many minor units, be in another currency, and be ended, so that it needs no money any more.
    set_amount: Callable[[Any, int], None] = lambda record, cents: set_values(record, {"total_cents": cents})
    set_currency: Callable[[Any, str], None] = lambda record, code: set_values(record, {"currency": code})
    set_ended: Callable[[Any], None] = lambda record: set_values(record, {"status": "cancelled"})
    #: Whether it can be paid in parts.
    in_parts: bool = False
    #: Whether money pays it at the price at which it was asked for, also if it costs more by now.
    at_asked_price: bool = False
