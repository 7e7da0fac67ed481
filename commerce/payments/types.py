"""Payments, refunds and their providers, and the interface of what is paid for. No database access."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID, uuid5

from django.db.models import TextChoices

from cms_api.mail.types import join_lines
from commerce.common.types.money import Money

FEATURE = "payments"

MAX_REFERENCE = 255
MAX_DESCRIPTION = 200
MAX_REASON = 500
MAX_PURPOSE = 100
MAX_PATH = 500
MAX_LABEL = 100

NOT_READY = "Online payments aren't available at the moment."

#: Payment pages live for at least as long as providers ask for, and at most for as long as they allow.
SHORTEST_PAGE_LIFETIME = timedelta(minutes=31)
LONGEST_PAGE_LIFETIME = timedelta(hours=23, minutes=55)
#: After this time, nobody can begin to pay for a seat or a time again, and so keep it from others.
LONGEST_TO_PAY = timedelta(hours=2)
#: An attempt that expires sooner is not offered again.
TOO_SHORT_TO_PAY = timedelta(minutes=2)
#: An attempt without a page, or whose money is on its way, ends after this long if its provider cannot be asked any more.
ATTEMPT_ENDS_AFTER = timedelta(days=30)

#: A refund that the provider has not taken after this long is listed with those that failed.
REFUND_STUCK_AFTER = timedelta(days=3)


class ProviderName(TextChoices):
    OFFLINE = "offline", "Test payments"
    STRIPE = "stripe", "Stripe"


class PaymentStatus(TextChoices):
    """The state of one attempt to pay."""

    #: Stored, but the provider may not know it yet.
    STARTED = "started", "Started"
    #: The provider's payment page can be used.
    OPEN = "open", "Open"
    #: Paid by a method that takes days; the money may still fail to arrive.
    PROCESSING = "processing", "Processing"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    #: Nobody paid in time, or a later attempt replaced it.
    EXPIRED = "expired", "Expired"


#: An attempt in one of these may still bring money; a record has at most one.
LIVE = (PaymentStatus.STARTED, PaymentStatus.OPEN, PaymentStatus.PROCESSING)


#: The state that a message tells of, and those that it moves an attempt out of. In any other state it comes too late, or
#: again, and changes nothing: money that has arrived stays, and an attempt that has ended may still bring money.
MOVES: Mapping[PaymentStatus, Sequence[PaymentStatus]] = {
    PaymentStatus.PROCESSING: (PaymentStatus.STARTED, PaymentStatus.OPEN),
    PaymentStatus.FAILED: LIVE,
    PaymentStatus.EXPIRED: LIVE,
    PaymentStatus.SUCCEEDED: (*LIVE, PaymentStatus.FAILED, PaymentStatus.EXPIRED),
}


class Method(TextChoices):
    """How money reached the business."""

    ONLINE = "online", "Online"
    CASH = "cash", "Cash"
    CHECK = "check", "Check"
    BANK_TRANSFER = "bank_transfer", "Bank transfer"
    OTHER = "other", "Other"


#: The methods that people record.
RECORDED = (Method.CASH, Method.CHECK, Method.BANK_TRANSFER, Method.OTHER)


class RefundStatus(TextChoices):
    #: Requested; the provider has not confirmed that the money is on its way.
    PENDING = "pending", "Pending"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"


#: The same for refunds: one that has succeeded may still fail, if the customer's bank sends the money back.
REFUND_MOVES: Mapping[RefundStatus, Sequence[RefundStatus]] = {
    RefundStatus.SUCCEEDED: (RefundStatus.PENDING,),
    RefundStatus.FAILED: (RefundStatus.PENDING, RefundStatus.SUCCEEDED),
}


class DisputeStatus(TextChoices):
    """The state of a customer's complaint at their bank, which the provider decides; it never moves the record."""

    OPEN = "open", "Open"
    WON = "won", "Won"
    LOST = "lost", "Lost"


#: The least that Stripe takes, in minor units (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). Of other
#: currencies it takes what is worth as much in that of the business's account, which only Stripe knows.
STRIPE_TAKES_FROM: Mapping[str, int] = {
    **dict.fromkeys(("aud", "brl", "cad", "chf", "eur", "inr", "jpy", "nzd", "sgd", "usd"), 50),
    **dict.fromkeys(("aed", "myr", "pln", "ron"), 200),
    **dict.fromkeys(("nok", "sek"), 300),
    **dict.fromkeys(("mxn", "thb"), 1000),
    **{"bgn": 100, "czk": 1500, "dkk": 250, "gbp": 30, "hkd": 400, "huf": 17500},
}

#: The most that Stripe takes, in minor units: "the amount value supports up to eight digits" of its own units, it says
#: (https://docs.stripe.com/api/payment_intents/create). Of these currencies it takes more
#: (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts): of HUF, JPY and LBP by card.
STRIPE_TAKES_UP_TO: Mapping[str, int] = {
    **dict.fromkeys(("huf", "idr", "lbp"), 999_999_999_999),
    **{"cop": 9_999_999_999, "inr": 999_999_999, "jpy": 9_999_999_999},
    # Stripe counts them with two decimals more, or less.
    **{"isk": 999_999, "mga": 9_999_999_900, "ugx": 999_999, "uyi": 999_999},
}
STRIPE_TAKES_UP_TO_ELSE = 99_999_999


@dataclass(frozen=True, slots=True)
class Occasion:
    """The reason to charge a saved method, such as the date of a recurring donation, by names that a restored site gives again.

    The lost site may have charged the method since its backup: by these names, the charge is found at the provider.
    """

    #: Of random things that are in the backup, and of the date: the same in each attempt, and in no other site.
    name: UUID
    #: The moment from which a site may charge it.
    since: datetime
    #: How many attempts were declined before.
    declines: int = 0

    @property
    def attempt_key(self) -> UUID:
        """Return the external key of the next attempt: a declined one is not repeated."""
        return uuid5(self.name, str(self.declines))


@dataclass(frozen=True, slots=True)
class Due:
    """The amount that a record still costs, and the pages to which the customer returns."""

    amount: Money
    #: One line, such as "Order ORD-1042".
    description: str
    email: str
    #: The path of the page that shows the record after the payment, and, if it differs, after giving up.
    return_path: str
    cancel_path: str = ""
    #: The moment from which it cannot be paid any more, such as the end of a reservation. A payment page lives for at least
    #: `SHORTEST_PAGE_LIFETIME`, so a reservation must last at least as long from the moment that a payment starts.
    expires_at: datetime | None = None
    #: Returned to the record's module when the payment arrives, such as which plan or which period it is for.
    purpose: str = ""
    #: Whether the method is stored at the provider to be charged again; then `Payment.saved_method` is set once it is paid.
    saves_method: bool = False
    #: The reason to charge a saved method without its customer, if there is one.
    occasion: Occasion | None = None

    @property
    def line(self) -> str:
        """Return the description as it is stored, and shown by providers: a title may be longer, or have control characters."""
        return join_lines(self.description)[:MAX_DESCRIPTION]


class Payable(Protocol):
    """A kind of record that customers pay for, declared as `Module.payables`: orders, invoices, plans of members.

    Each method but `alternatives`, `url` and `name` is called in a transaction. A record is locked before its payments. No method
    sends requests to other hosts, or is called twice for the same payment or refund with the same status.
    """

    def lock(self, pk: int) -> Any | None:
        """Return the record, locked; None if it is gone."""

    def due(self, record: Any) -> Due:
        """Return what is to be paid. Raises Invalid (`status`) if nothing is, or not any more."""

    def amount_due(self, record: Any) -> Money | None:
        """Return up to how much arrived money may be applied; None, or raise Invalid (`status`), if nothing is due.

        Unlike `due`, it writes nothing, and also answers while money is on its way, or where no new payment may be started.
        """

    def apply_payment(self, record: Any, payment: Any) -> bool:
        """Apply a payment that has succeeded; return False, or raise Invalid with the reason, if the record cannot use it.

        It is in the currency of `amount_due`, and not more than that: what is beyond is a payment of its own, which waits to be
        settled. Money that cannot be used, as the record was cancelled or paid in the meantime, stays unapplied until a person
        decides. That person may offer it again: it may be less than what is due.
        """

    def record_processing(self, record: Any, payment: Any) -> None:
        """Take note that money is on its way."""

    def record_failure(self, record: Any, payment: Any) -> None:
        """Take note that an attempt failed or expired, or that money on its way has arrived and could not be used.

        The latter has the status `succeeded`, and is unapplied.
        """

    def record_refund(self, record: Any, refund: Any) -> None:
        """Take note of a refund that has succeeded, including those made at the provider, or failed.

        One that has succeeded may still fail, if the customer's bank sends the money back: add up what has gone back, rather
        than subtract. The record may have been changed by others since the refund was requested.
        """

    def alternatives(self, payment: Any) -> Sequence[tuple[int, str]]:
        """Return the records of the same customer that unapplied money may be moved to: their ids and names."""

    def url(self, pk: int) -> str:
        """Return the path of the record's page in the admin."""

    def name(self, pk: int) -> str:
        """Return the record's name in the admin, such as "ORD-1042"."""


@dataclass(frozen=True, slots=True)
class Session:
    """A payment page at a provider: its identity there, and its address."""

    reference: str
    url: str


@dataclass(frozen=True, slots=True)
class StoredMethod:
    """A card or account that a customer has stored at a provider. `label` is for people: `Visa •••• 4242`."""

    reference: str
    #: The customer at the provider.
    customer: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state of an attempt at its provider. `charge` identifies the money for refunds."""

    status: PaymentStatus
    amount: Money | None = None
    charge: str = ""
    error: str = ""
    #: The method that was used, if the attempt stores it.
    method: StoredMethod | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """Money that a payment page has brought, as its provider knows it."""

    amount: Money
    charge: str
    description: str
    email: str


@dataclass(frozen=True, slots=True)
class RefundOutcome:
    """The state of a refund at its provider."""

    status: RefundStatus
    reference: str = ""
    error: str = ""
    #: Minor units of the payment's currency; read for refunds made at the provider.
    amount_cents: int = 0
    #: The `external_id` of our refund; empty for refunds made at the provider.
    refund_id: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A verified message of a provider, reduced to what it is about: the state is always fetched, never read from it."""

    id: str
    kind: str
    #: The reference of the attempt's session, and the `external_id` of the attempt; empty if it is not about an attempt.
    session: str = ""
    payment_id: str = ""
    #: The charge that a refund or dispute concerns.
    charge: str = ""


class ProviderError(Exception):
    """The provider could not be reached, or answered with a failure that may pass; try again later."""


class ProviderDisagrees(ProviderError):
    """The provider answers, but not what fits the records here, such as a refund of more than was paid; that may pass."""


class ProviderRefused(Exception):
    """The provider will never do this; the message says why."""
