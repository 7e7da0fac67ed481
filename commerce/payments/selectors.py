"""Reads of payments, and the provider in use."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from cms_api.core import registry
from cms_api.core.leases import CLOCK_TOLERANCE
from cms_api.flags.selectors import get_setting
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import format_money
from commerce.common.types.money import MAX_CENTS, Money

from .models import TO_SETTLE, Payment, ProviderEvent, Refund
from .types import (
    LIVE,
    NOT_READY,
    REFUND_STUCK_AFTER,
    STRIPE_TAKES_FROM,
    STRIPE_TAKES_UP_TO,
    STRIPE_TAKES_UP_TO_ELSE,
    DisputeStatus,
    Occasion,
    Payable,
    PaymentStatus,
    ProviderName,
    RefundStatus,
)

#: The links of one attempt: to pay it, and to come back from paying.
LINK = SignedLink("payments.payment", Payment, view="payments_return")

#: For how long refunds that have failed are shown on the home of the admin.
FAILED_SHOWN_FOR = timedelta(days=30)


def provider_in_use() -> ProviderName:
    """Return the provider of new payments."""
    return ProviderName(get_setting("payments.provider"))


def are_test_payments_allowed() -> bool:
    """Return whether test payments, which move no money, are accepted."""
    return settings.DEBUG or get_setting("payments.allow_test_payments") is True


def is_ready() -> bool:
    """Return whether customers can pay now."""
    return is_usable(provider_in_use())


def is_usable(provider: str) -> bool:
    """Return whether a provider can take money now."""
    return bool(settings.STRIPE_SECRET_KEY) if provider == ProviderName.STRIPE else are_test_payments_allowed()


def smallest_payable(currency: str) -> int:
    """Return the least amount that customers can pay now in a currency, in minor units."""
    return STRIPE_TAKES_FROM.get(currency, 1) if provider_in_use() == ProviderName.STRIPE else 1


def largest_payable(currency: str) -> int:
    """Return the largest amount that customers can pay at once now in a currency, in minor units."""
    is_stripe = provider_in_use() == ProviderName.STRIPE
    return STRIPE_TAKES_UP_TO.get(currency, STRIPE_TAKES_UP_TO_ELSE) if is_stripe else MAX_CENTS


def payment_refusal(amount: Money) -> str:
    """Return why an amount cannot be paid online now; empty if it can, or is nothing.

    Ask before anything is reserved: the provider refuses only once the customer is about to pay.
    """
    return NOT_READY if amount.cents and not is_ready() else size_refusal(amount)


def size_refusal(amount: Money) -> str:
    """Return the refusal of an amount below or above what the provider takes; empty for any other, and for nothing."""
    least, most = (Money(each(amount.currency), amount.currency) for each in (smallest_payable, largest_payable))
    if 0 < amount.cents < least.cents:
        return f"Amounts below {format_money(least)} can't be paid online."
    return f"Amounts above {format_money(most)} can't be paid online." if amount.cents > most.cents else ""


def payment_path(payment: Payment) -> str:
    """Return the path that leads to the provider's payment page; redirect there after `start_payment`."""
    return reverse("payments_pay", args=[LINK.token(payment)])


def payments(*, search: str = "") -> QuerySet[Payment]:
    """Return payments, with the `pending_cents` of their refunds.

    `search` matches word prefixes of what they are for, the email and references.
    """
    pending = Refund.objects.filter(payment=OuterRef("pk"), status=RefundStatus.PENDING).order_by().values("payment")
    sums = Subquery(pending.annotate(sum=Sum("amount_cents")).values("sum"))
    found = Payment.objects.select_related("recorded_by").annotate(pending_cents=Coalesce(sums, 0))
    return matching(found, search) if search.strip() else found


def payables() -> Mapping[str, Payable]:
    """Return the kinds of records that customers pay for, by their names in `Module.payables`."""
    return registry.payables()


def payable_of(payment: Payment) -> Payable | None:
    """Return the kind of record that a payment is for; None if its module is not installed, or the record unknown."""
    return payables().get(payment.payable)


def payments_of(payable: str, record_id: int) -> QuerySet[Payment]:
    """Return the attempts of a record and the money recorded for it, newest first."""
    return Payment.objects.filter(payable=payable, record_id=record_id)


def live_payment(payable: str, record_id: int) -> Payment | None:
    """Return the attempt of a record that may still bring money."""
    return payments_of(payable, record_id).filter(status__in=LIVE).first()


def paid_charge(payable: str, record_id: int, occasion: Occasion) -> Payment | None:
    """Return the money that a saved method has brought for an occasion, even if the record could not use it."""
    return payments_of(payable, record_id).filter(occasion=occasion.name, status=PaymentStatus.SUCCEEDED).first()


def is_being_paid(payable: str, record_id: int) -> bool:
    """Return whether a payment that takes days is on its way."""
    return payments_of(payable, record_id).filter(status=PaymentStatus.PROCESSING).exists()


def live_payments(payable: str) -> QuerySet[Payment]:
    """Return the attempts of a kind of record that may still bring money."""
    return Payment.objects.filter(payable=payable, status__in=LIVE)


def applied_payments(payable: str, *record_ids: int) -> QuerySet[Payment]:
    """Return the money that has been applied to one or more records, newest first."""
    found = Payment.objects.filter(payable=payable, record_id__in=record_ids, status=PaymentStatus.SUCCEEDED, unapplied="")
    return found.order_by("-paid_at", "-pk")


def refundable_payments(payable: str, record_id: int) -> list[Payment]:
    """Return a record's money that has not been given back, nor is about to be, newest first: that of the latest's currency.

    A membership may have been paid in several, one after the other.
    """
    left = [payment for payment in applied_payments(payable, record_id) if payment.refundable_cents]
    return [payment for payment in left if payment.currency == left[0].currency]


def refundable_cents(payable: str, record_id: int) -> int:
    """Return how much of a record's money can be given back; see `refundable_payments`."""
    return sum(payment.refundable_cents for payment in refundable_payments(payable, record_id))


def payments_with(charge: str, provider: str) -> QuerySet[Payment]:
    """Return the payment with a charge, and those that were split off it, which a refund of the charge takes from first."""
    return Payment.objects.filter(provider=provider, charge=charge).order_by("-unapplied", "-pk")


def waiting_messages(payment: Payment) -> QuerySet[ProviderEvent]:
    """Return the messages about a payment's charge that arrived before it was known."""
    if not payment.charge:
        return ProviderEvent.objects.none()
    return ProviderEvent.objects.filter(provider=payment.provider, charge=payment.charge).order_by("pk")


def refunds_of(payable: str, *record_ids: int) -> QuerySet[Refund]:
    """Return the refunds of one or more records, newest first."""
    return Refund.objects.filter(payment__payable=payable, payment__record_id__in=record_ids).select_related("payment")


def refunded_cents(payable: str, record_id: int, *, status: RefundStatus = RefundStatus.SUCCEEDED) -> int:
    """Return how much of the money that was applied to a record has gone back, or, with another status, is about to."""
    found = refunds_of(payable, record_id).filter(status=status, payment__unapplied="")
    return int(found.aggregate(sum=Sum("amount_cents", default=0))["sum"])


def kept_cents(payable: str, record_id: int) -> int:
    """Return how much money has been applied to a record, less what has gone back."""
    arrived = applied_payments(payable, record_id).aggregate(sum=Sum("amount_cents", default=0))["sum"]
    return int(arrived) - refunded_cents(payable, record_id)


def payments_to_settle() -> QuerySet[Payment]:
    """Return the payments that have arrived without being applied, and have not gone back."""
    return Payment.objects.filter(TO_SETTLE)


def unsettled_payments(payable: str, *record_ids: int) -> QuerySet[Payment]:
    """Return the money that has arrived for one or more records, is not applied to them, and has not gone back."""
    return Payment.objects.filter(TO_SETTLE, payable=payable, record_id__in=record_ids)


def unsettled_words(payable: str, record_id: int) -> str:
    """Return a sentence for the customer about such money for a record that has ended; empty if there is none for sure."""
    if amounts := _unsettled_amounts(payable, record_id):
        return f"We've received {amounts} for it, and will contact you about a refund."
    is_unknown = payments_of(payable, record_id).filter(is_unconfirmed=True).exists()
    return "If you've paid for it, we'll contact you about a refund." if is_unknown else ""


def received_words(payable: str, *record_ids: int) -> str:
    """Return a sentence for the page of one or more records about such money; empty if there is none."""
    amounts = _unsettled_amounts(payable, *record_ids)
    return (
        f"We've received {amounts} that we couldn't apply yet. Please don't pay again: we'll either apply or refund it."
        if amounts
        else ""
    )


def _unsettled_amounts(payable: str, *record_ids: int) -> str:
    arrived = [Money(payment.refundable_cents, payment.currency) for payment in unsettled_payments(payable, *record_ids)]
    return " and ".join(map(format_money, arrived))


def failed_refunds() -> QuerySet[Refund]:
    """Return the refunds that failed lately, of payments of which as much is still there, and those that cannot be sent."""
    now = timezone.now()
    failed = Q(status=RefundStatus.FAILED, updated_at__gte=now - FAILED_SHOWN_FOR)
    is_here = Q(amount_cents__lte=F("payment__amount_cents") - F("payment__refunded_cents"))
    stuck = Q(status=RefundStatus.PENDING, reference=None, created_at__lt=now - REFUND_STUCK_AFTER)
    return Refund.objects.filter(failed & is_here | stuck)


def refunds_to_make_otherwise(payment: Payment) -> list[Refund]:
    """Return the refunds of a payment that its provider could not make, as many as its money is enough for, latest first."""
    left, found = payment.refundable_cents, []
    for refund in failed_refunds().filter(payment=payment).order_by("-pk"):
        # A pending one has taken its amount already.
        needed = refund.amount_cents if refund.status == RefundStatus.FAILED else 0
        if needed <= left:
            left -= needed
            found.append(refund)
    return found


def disputed_payments() -> QuerySet[Payment]:
    return Payment.objects.filter(dispute=DisputeStatus.OPEN)


def attempts_to_check(now: datetime, *, started: timedelta, every: timedelta, unconfirmed_every: timedelta) -> Q:
    """Return the condition of attempts that nobody has asked the provider about lately, or that have expired.

    One that was asked about later than now was so while the clock was ahead.
    """
    long_ago = Q(checked_at__lt=now - every) | Q(checked_at__gt=now + CLOCK_TOLERANCE)
    unasked = Q(checked_at=None, updated_at__lt=now - every) | long_ago
    expired = Q(expires_at__lt=now) & (Q(checked_at=None) | Q(checked_at__lt=F("expires_at")))
    begun = Q(status=PaymentStatus.STARTED, updated_at__lt=now - started)
    unconfirmed = Q(is_unconfirmed=True, checked_at__lt=now - unconfirmed_every)
    return unconfirmed | Q(status__in=LIVE) & (begun & (Q(checked_at=None) | Q(checked_at__lt=now - started)) | unasked | expired)


def alternatives(payment: Payment) -> Sequence[tuple[int, str]]:
    """Return the records that unapplied money may be moved to: their ids and names."""
    payable = payable_of(payment)
    return payable.alternatives(payment) if payable and payment.is_to_settle and not payment.refunded_cents else []


def record_url(payment: Payment) -> str:
    """Return the path of the record's page in the admin; empty if its module is not installed."""
    payable = payable_of(payment)
    return str(payable.url(payment.record_id)) if payable else ""
