"""Stripe: payment pages are Checkout Sessions; a charge is identified by its payment intent."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import stripe
from django.conf import settings
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.locks import refuse_in_transaction
from cms_api.core.outages import Busy
from cms_api.core.slow_requests import SlowRequests
from cms_api.mail.types import is_address
from cms_api.text.currencies import exponent
from cms_api.text.printable import printable
from commerce.common.types.money import Money

from ...models import Payment, Refund
from ...types import (
    MAX_REASON,
    MAX_REFERENCE,
    Arrival,
    DisputeStatus,
    Event,
    Outcome,
    PaymentStatus,
    ProviderDisagrees,
    ProviderError,
    ProviderRefused,
    RefundOutcome,
    RefundStatus,
    Session,
    StoredMethod,
)
from .base import Provider, cancel_url, success_url

#: Seconds to connect, and between two pieces of an answer.
TIMEOUT_SECONDS = (5, 15)
RETRIES = 1
#: Requests of this process that wait for Stripe; while it is slow, the other threads serve the site.
REQUESTS = SlowRequests(10)
#: Stripe may forget idempotency keys after 24 hours; what is older is looked for before it is sent again.
KEYS_LIVE = timedelta(hours=20)
#: The provider's clock may be behind ours.
CLOCKS_DIFFER = timedelta(minutes=10)
#: Refunds of one payment that are read.
MAX_READ_REFUNDS = 1000

#: The decimals of Stripe's amounts where they are not those of ISO 4217 (https://docs.stripe.com/currencies#special-cases).
_DECIMALS = {"isk": 2, "ugx": 2, "uyi": 2, "mga": 0}
#: More than Stripe takes of any currency (`STRIPE_TAKES_UP_TO`), in its own units.
STRIPE_ANSWERS_UP_TO = 10**14
_CURRENCY = re.compile(r"[a-z]{3}\Z")
#: Currencies whose amounts are multiples of this.
_MULTIPLES = {**dict.fromkeys(["bhd", "jod", "kwd", "omr", "tnd"], 10)}

_OPEN_DISPUTES = {"needs_response", "under_review", "warning_needs_response", "warning_under_review"}
_REFUNDS = {"succeeded": RefundStatus.SUCCEEDED, "failed": RefundStatus.FAILED, "canceled": RefundStatus.FAILED}


def to_stripe(money: Money) -> int:
    """Return an amount in the unit in which Stripe counts. Raises ProviderRefused if it cannot be expressed."""
    shift = _decimals(money.currency) - exponent(money.currency)
    amount, lost = (money.cents * 10**shift, 0) if shift >= 0 else divmod(money.cents, 10**-shift)
    if lost or amount % _MULTIPLES.get(money.currency, 1):
        raise ProviderRefused(f"Stripe cannot take {money.amount} {money.currency.upper()}: it has too many decimals.")
    return amount


def from_stripe(amount: int, currency: str) -> Money:
    """Return an amount of Stripe's. Raises ProviderDisagrees if it is none of ours."""
    if not isinstance(amount, int) or not _CURRENCY.match(currency or "") or not 0 < amount <= STRIPE_ANSWERS_UP_TO:
        raise ProviderDisagrees(f"Stripe's amount is none that can be paid: {amount} {currency}"[:MAX_REASON])
    shift = exponent(currency) - _decimals(currency)
    cents, lost = (amount * 10**shift, 0) if shift >= 0 else divmod(amount, 10**-shift)
    if lost:
        raise ProviderDisagrees(f"Stripe's amount {amount} {currency} has too many decimals.")
    return Money(cents, currency)


def _decimals(currency: str) -> int:
    return _DECIMALS.get(currency, exponent(currency))


class StripeProvider(Provider):
    def start(self, payment: Payment) -> Session:
        about = _about(payment)
        price = {
            "currency": payment.currency,
            "unit_amount": to_stripe(payment.amount),
            "product_data": {"name": payment.description},
        }
        intent: dict[str, Any] = {"metadata": about, "description": payment.description}
        asked: dict[str, Any] = {
            "mode": "payment",
            "line_items": [{"quantity": 1, "price_data": price}],
            "client_reference_id": payment.external_id,
            "metadata": about,
            "payment_intent_data": intent,
            "success_url": success_url(payment),
            "cancel_url": cancel_url(payment),
        }
        if payment.expires_at:
            asked["expires_at"] = int(payment.expires_at.timestamp())
        if is_address(payment.email):
            asked["customer_email"] = payment.email
        if payment.saves_method:
            intent["setup_future_usage"] = "off_session"
            asked |= {"customer_creation": "always", "payment_method_types": ["card"]}
        with _translate_errors():
            found = _client().v1.checkout.sessions.create(asked, {"idempotency_key": _key("payment", payment)})  # type: ignore[arg-type]
        return Session(found.id, found.url or "")

    def charge(self, payment: Payment) -> Outcome:
        if _sent_since(payment) < timezone.now() - KEYS_LIVE and (known := self.find_charge(payment)):
            return known
        method: Any = payment.saved_method
        asked: Any = {
            "amount": to_stripe(payment.amount),
            "currency": payment.currency,
            "customer": method.customer,
            "payment_method": method.reference,
            "payment_method_types": ["card"],
            "off_session": True,
            "confirm": True,
            "description": payment.description,
            "metadata": _about(payment),
        }
        with _translate_errors():
            try:
                return _of_intent(_client().v1.payment_intents.create(asked, {"idempotency_key": _charge_key(payment)}))
            except stripe.CardError as decline:
                intent = decline.error.payment_intent if decline.error else None
                return Outcome(PaymentStatus.FAILED, charge=intent.id if intent else "", error=_short(decline.user_message))
            except stripe.IdempotencyError as problem:
                # Another site has charged it, in other words or another amount.
                other = problem
        if known := self.find_charge(payment):
            return known
        raise ProviderError(_short(f"{type(other).__name__}: {other.user_message or other}"))

    def find_charge(self, payment: Payment) -> Outcome | None:
        method: Any = payment.saved_method
        since = int((_sent_since(payment) - CLOCKS_DIFFER).timestamp())
        with _translate_errors():
            found = _client().v1.payment_intents.list({"customer": method.customer, "created": {"gte": since}, "limit": 100})
            declined = None
            for intent in found.auto_paging_iter():
                about = intent.metadata.to_dict() if intent.metadata else {}
                is_ours = about == _about(payment)
                # A lost site may have made more attempts than this one knows of.
                if is_ours or (payment.occasion and about.get("occasion") == payment.occasion.hex):
                    outcome = _of_intent(intent)
                    if outcome.status != PaymentStatus.FAILED:
                        return outcome
                    declined = outcome if is_ours else declined
            return declined

    def fetch(self, payment: Payment) -> Outcome:
        if payment.is_charge:
            with _translate_errors():
                return _of_intent(_client().v1.payment_intents.retrieve(payment.reference or ""))
        with _translate_errors():
            expanded = ["payment_intent.payment_method"] if payment.saves_method else ["payment_intent"]
            found: Any = _client().v1.checkout.sessions.retrieve(payment.reference or "", {"expand": expanded})
        intent = found.payment_intent
        if found.payment_status == "paid" or (intent and intent.status == "succeeded"):
            paid = from_stripe(found.amount_total, found.currency)
            method = _method(intent) if intent and payment.saves_method else None
            return Outcome(PaymentStatus.SUCCEEDED, paid, charge=intent.id if intent else "", method=method)
        if found.status in {"open", "expired"}:
            return Outcome(PaymentStatus(found.status))
        return _of_intent(intent) if intent else Outcome(PaymentStatus.PROCESSING)

    def find_arrival(self, reference: str) -> Arrival | None:
        with _translate_errors():
            found: Any = _client().v1.checkout.sessions.retrieve(reference, {"expand": ["payment_intent"]})
        intent = found.payment_intent
        if not intent or not found.amount_total or (found.payment_status == "unpaid" and intent.status != "succeeded"):
            return None
        customer = getattr(found, "customer_details", None)
        email = (getattr(customer, "email", None) if customer else None) or found.customer_email
        description = _short(getattr(intent, "description", None))
        return Arrival(from_stripe(found.amount_total, found.currency), intent.id, description, _text(email))

    def expire(self, payment: Payment) -> None:
        with _translate_errors():
            _client().v1.checkout.sessions.expire(payment.reference or "")

    def refund(self, refund: Refund) -> RefundOutcome:
        if refund.created_at < timezone.now() - KEYS_LIVE:
            for known in self.refunds(refund.payment):
                if known.refund_id == refund.external_id:
                    return known
        asked: Any = {
            "payment_intent": refund.payment.charge,
            "amount": to_stripe(refund.amount),
            "metadata": {"refund": refund.external_id, "site": settings.BASE_URL},
        }
        with _translate_errors():
            return _refund(_client().v1.refunds.create(asked, {"idempotency_key": _key("refund", refund)}))

    def fetch_refund(self, refund: Refund) -> RefundOutcome:
        with _translate_errors():
            return _refund(_client().v1.refunds.retrieve(refund.reference or ""))

    def refunds(self, payment: Payment) -> list[RefundOutcome]:
        with _translate_errors():
            found = _client().v1.refunds.list({"payment_intent": payment.charge, "limit": 100})
            return [_refund(each) for each, _ in zip(found.auto_paging_iter(), range(MAX_READ_REFUNDS), strict=False)]

    def dispute(self, payment: Payment) -> DisputeStatus | None:
        with _translate_errors():
            found = _client().v1.disputes.list({"payment_intent": payment.charge, "limit": 1}).data
        if not found:
            return None
        status = found[0].status
        return DisputeStatus.OPEN if status in _OPEN_DISPUTES else DisputeStatus.LOST if status == "lost" else DisputeStatus.WON

    def read_event(self, body: bytes, headers: Mapping[str, str]) -> Event:
        _verify(body, headers.get("Stripe-Signature", ""))
        try:
            return _event(json.loads(body))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Invalid({"body": "The message is not an event of Stripe."}) from None


def _about(payment: Payment) -> dict[str, str]:
    occasion = {"occasion": payment.occasion.hex} if payment.occasion else {}
    return {"payment": payment.external_id, "site": settings.BASE_URL, **occasion}


def _sent_since(payment: Payment) -> datetime:
    """Return the moment from which a charge may have been sent: by this site, or by one that was lost."""
    return min(payment.occasion_since or payment.created_at, payment.created_at)


def _charge_key(payment: Payment) -> str:
    """Return the idempotency key of a charge: for an occasion, a restored site has the same one."""
    return f"charge-{payment.external_id}" if payment.occasion else _key("charge", payment)


def _of_intent(intent: Any) -> Outcome:
    """Return the state of a payment intent without an open payment page."""
    if intent.status == "succeeded":
        return Outcome(PaymentStatus.SUCCEEDED, from_stripe(intent.amount_received, intent.currency), charge=intent.id)
    if intent.status in {"requires_payment_method", "canceled"}:
        problem = intent.last_payment_error
        return Outcome(PaymentStatus.FAILED, charge=intent.id, error=_short(problem.message if problem else ""))
    return Outcome(PaymentStatus.PROCESSING, charge=intent.id)


def _method(intent: Any) -> StoredMethod | None:
    """Return the card that a payment intent has stored; None if it has stored none."""
    method = intent.payment_method
    if not intent.customer or not method:
        return None
    card = getattr(method, "card", None)
    label = f"{card.display_brand or card.brand} •••• {card.last4}".replace("_", " ").title() if card else ""
    return StoredMethod(method.id, customer=intent.customer, label=label)


def _verify(body: bytes, signature: str) -> None:
    """Check the signature with every secret: while one is replaced, two are valid. Raises Invalid."""
    for secret in settings.STRIPE_WEBHOOK_SECRETS:
        try:
            stripe.WebhookSignature.verify_header(body, signature, secret, tolerance=stripe.Webhook.DEFAULT_TOLERANCE)
            return
        # A header with other characters than ASCII cannot be compared.
        except (stripe.SignatureVerificationError, ValueError, TypeError):
            continue
    raise Invalid({"signature": "The signature is not valid."})


def _event(payload: Mapping[str, Any]) -> Event:
    about = payload["data"]["object"]
    kind, name = payload["type"], about.get("object")
    known = Event(_text(payload["id"]), _text(kind))
    if not known.id or not known.kind:
        raise ValueError
    if name == "checkout.session":
        metadata = about.get("metadata") or {}
        is_ours = metadata.get("site") == settings.BASE_URL
        return replace(known, session=_text(about["id"]), payment_id=_text(metadata.get("payment")) if is_ours else "")
    if name in {"charge", "refund", "dispute"}:
        metadata = about.get("metadata") or {}
        is_ours = name == "charge" and metadata.get("site") == settings.BASE_URL
        payment = _text(metadata.get("payment")) if is_ours else ""
        return replace(known, charge=_text(about.get("payment_intent")), payment_id=payment)
    return known


def _text(value: Any) -> str:
    return printable(value)[:MAX_REFERENCE] if isinstance(value, str) else ""


def _refund(found: Any) -> RefundOutcome:
    about = found.metadata.to_dict() if found.metadata else {}
    ours = about.get("refund", "") if about.get("site") == settings.BASE_URL else ""
    return RefundOutcome(
        _REFUNDS.get(found.status or "", RefundStatus.PENDING),
        found.id,
        error=_short((getattr(found, "failure_reason", None) or "").replace("_", " ")),
        amount_cents=from_stripe(found.amount, found.currency).cents,
        refund_id=_text(ours),
    )


def _key(kind: str, row: Payment | Refund) -> str:
    """Return the idempotency key of a row. The moment tells rows without a key from those with their ids in other databases."""
    return f"{kind}-{row.external_id}-{row.created_at.timestamp():.6f}"


def _client() -> stripe.StripeClient:
    refuse_in_transaction("A request to Stripe")
    if not settings.STRIPE_SECRET_KEY:
        raise ProviderError("STRIPE_SECRET_KEY is not set.")
    return _client_for(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE)


@lru_cache(maxsize=4)
def _client_for(key: str, base: str) -> stripe.StripeClient:
    return stripe.StripeClient(
        key,
        base_addresses={"api": base} if base else None,
        max_network_retries=RETRIES,
        http_client=stripe.RequestsClient(timeout=TIMEOUT_SECONDS),
    )


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        with REQUESTS.enter():
            yield
    except Busy as problem:
        raise ProviderError("Too many requests of this process wait for Stripe.") from problem
    except (stripe.InvalidRequestError, stripe.CardError) as problem:
        raise ProviderRefused(_short(problem.user_message or str(problem))) from problem
    except stripe.StripeError as problem:
        raise ProviderError(_short(f"{type(problem).__name__}: {problem.user_message or problem}")) from problem


def _short(text: str | None) -> str:
    return printable(text or "")[:MAX_REASON]
