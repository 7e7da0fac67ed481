"""Starts attempts to pay, and closes them."""

import logging
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from cms_api.flags.services import notify
from cms_api.http.link_keys import new_link_key

from .. import selectors
from ..models import IS_CHARGE, Payment, SavedMethod
from ..types import (
    LONGEST_PAGE_LIFETIME,
    NOT_READY,
    SHORTEST_PAGE_LIFETIME,
    TOO_SHORT_TO_PAY,
    Due,
    Occasion,
    Outcome,
    PaymentStatus,
    ProviderError,
    ProviderRefused,
)
from .outcomes import GONE, apply_outcome
from .settling import provider_of, settle

logger = logging.getLogger(__name__)

UNREACHABLE = "We couldn't reach the payment provider. Try again."
REFUSED = "This payment can't be made online. Please contact us."
ON_ITS_WAY = "A payment is already on its way."
PAID = "This has already been paid."

#: Rounds in which other requests may come in between.
ROUNDS = 5


def start_payment(*, payable: str, record_id: int) -> Payment:
    """Return an attempt to pay what a record costs, with its payment page open; redirect to `selectors.payment_path` of it.

    An open attempt for what is due now, by the same person and with the same way back, is used again; any other one is closed
    first. Must not be called in a transaction. Raises
    Invalid: whatever `Payable.due` raises, `status` if the record is being paid, `payment` if the provider cannot be used.
    """
    if not selectors.is_ready():
        raise Invalid({"payment": NOT_READY})
    provider = selectors.provider_in_use()
    for _ in range(ROUNDS):
        payment, is_usable = _prepare(payable, record_id, provider)
        if not is_usable:
            _make_way(payment)
        elif opened := _open_or_fail(payment):
            return opened
    raise Invalid({"payment": UNREACHABLE})


def charge_saved_method(*, payable: str, record_id: int, method: SavedMethod) -> Payment:
    """Charge what a record costs to a saved method, without its customer; return the attempt.

    Its status is `succeeded`, `failed`, `expired` if the record does not want it any more or, if the provider has not said,
    `started`: the sweep finds out. A charge that is not over is taken up again, unless the amount or the method is another one
    by now; any other attempt is closed first. Money that has arrived for the same `Occasion` is returned, even if it could not be
    used: a person settles it. Must not be called in a transaction. Raises Invalid: whatever `Payable.due`
    raises, `status` if the record is being paid, `payment` if the provider cannot be used.
    """
    if not selectors.is_usable(method.provider):
        raise Invalid({"payment": NOT_READY})
    for _ in range(ROUNDS):
        payment, is_usable = _prepare(payable, record_id, method.provider, method)
        if not is_usable:
            _make_way(payment)
            continue
        try:
            return settle(payment_id=payment.pk)
        except ProviderError as problem:
            logger.warning("The outcome of the charge %s is not known yet: %s", payment.pk, problem)
            return payment
    raise Invalid({"payment": UNREACHABLE})


@transaction.atomic(durable=True)
def _prepare(payable: str, record_id: int, provider: str, method: SavedMethod | None = None) -> tuple[Payment, bool]:
    """Return the live attempt of a record, or a new one, and whether it is for what is due now, by this method."""
    kind = selectors.payables()[payable]
    record = kind.lock(record_id)
    if record is None:
        raise Invalid({"payment": GONE})
    due = kind.due(record)
    if method is not None and due.occasion is not None and (paid := selectors.paid_charge(payable, record_id, due.occasion)):
        return paid, True
    if method is None and (refusal := selectors.size_refusal(due.amount)):
        raise Invalid({"payment": refusal})
    live = selectors.live_payment(payable, record_id)
    if live is None:
        try:
            with transaction.atomic():
                return _create(payable, record_id, provider, due, method), True
        except IntegrityError:
            # Another request has started one: a record may be one that cannot be locked.
            live = selectors.live_payment(payable, record_id)
            if live is None:
                raise
    return live, _is_charge_for(live, due, method) if method else _is_for(live, due, provider)


def _create(payable: str, record_id: int, provider: str, due: Due, method: SavedMethod | None = None) -> Payment:
    now = timezone.now()
    payment = Payment.objects.create(
        payable=payable,
        record_id=record_id,
        **_columns(due),
        **(_take_names(due.occasion) if method and due.occasion else {}),
        provider=provider,
        saves_method=due.saves_method and method is None,
        saved_method=method,
        expires_at=None if method else _expiry(due.expires_at, now),
        created_at=now,
        updated_at=now,
    )
    get_search_backend().add(payment)
    notify("payments.started", payment)
    return payment


def _take_names(occasion: Occasion) -> dict[str, Any]:
    """Return what a charge stores of its occasion.

    One that was closed before it was declined leaves its name to the next attempt, which finds what may have arrived of it.
    """
    key = occasion.attempt_key
    Payment.objects.filter(external_key=key).update(external_key=new_link_key(), occasion=None, is_unconfirmed=False)
    return {"external_key": key, "occasion": occasion.name, "occasion_since": occasion.since}


def _columns(due: Due) -> dict[str, Any]:
    """Return what an attempt stores of what is due: its amount, who pays, and the pages to which the customer returns."""
    return {
        "description": due.line,
        "email": due.email,
        "purpose": due.purpose,
        "return_path": due.return_path,
        "cancel_path": due.cancel_path,
        "amount_cents": due.amount.cents,
        "currency": due.amount.currency,
    }


def _expiry(wanted: datetime | None, now: datetime) -> datetime:
    return min(max(wanted or now + LONGEST_PAGE_LIFETIME, now + SHORTEST_PAGE_LIFETIME), now + LONGEST_PAGE_LIFETIME).replace(
        microsecond=0
    )


def _is_for(payment: Payment, due: Due, provider: str) -> bool:
    wanted = {**_columns(due), "provider": provider, "saves_method": due.saves_method}
    is_same = not payment.is_charge and all(getattr(payment, name) == value for name, value in wanted.items())
    lives = payment.expires_at is None or payment.expires_at > timezone.now() + TOO_SHORT_TO_PAY
    return is_same and lives and payment.status != PaymentStatus.PROCESSING


def _is_charge_for(payment: Payment, due: Due, method: SavedMethod) -> bool:
    is_same = (payment.amount, payment.purpose, payment.saved_method_id) == (due.amount, due.purpose, method.pk)
    return payment.is_charge and is_same and payment.expires_at is None


def _make_way(payment: Payment) -> None:
    """Close an attempt. Raises Invalid if it cannot be closed."""
    if not _close(payment):
        payment.refresh_from_db()
        if payment.status == PaymentStatus.PROCESSING:
            raise Invalid({"status": ON_ITS_WAY})
        raise Invalid({"status": PAID} if payment.status == PaymentStatus.SUCCEEDED else {"payment": UNREACHABLE})


def _open_or_fail(payment: Payment) -> Payment | None:
    """Open the payment page of an attempt; None if the attempt was closed meanwhile. Raises Invalid if it has failed."""
    try:
        return open_page(payment)
    except (ProviderError, ProviderRefused) as problem:
        logger.warning("The payment %s could not be started: %s", payment.pk, problem)
        failed = _end(payment, PaymentStatus.FAILED, str(problem))
        if failed.status == PaymentStatus.OPEN:
            # Another request has opened it.
            return failed
        sentence = UNREACHABLE if isinstance(problem, ProviderError) else REFUSED
        raise Invalid({"payment": sentence}) from problem


def open_page(payment: Payment) -> Payment | None:
    """Open the payment page of an attempt, unless it is open; None if the attempt was closed meanwhile.

    It can be repeated: the provider answers the same attempt with the same page. Raises ProviderError and ProviderRefused.
    """
    if payment.status == PaymentStatus.STARTED:
        session = provider_of(payment).start(payment)
        known: dict[str, Any] = {"reference": session.reference, "url": session.url}
        waiting = Payment.objects.filter(pk=payment.pk, status=PaymentStatus.STARTED)
        waiting.update(status=PaymentStatus.OPEN, updated_at=timezone.now(), **known)
        payment.refresh_from_db()
        if payment.status != PaymentStatus.OPEN:
            # Nobody has seen the page.
            payment.reference = session.reference
            with suppress(ProviderError, ProviderRefused):
                provider_of(payment).expire(payment)
    return payment if payment.status == PaymentStatus.OPEN else None


def close_payments(*, payable: str, record_id: int) -> bool:
    """Close the payment page of a record, if one is open; return whether no money can arrive through it any more.

    A charge of a saved method is not sent any more, and ends once the provider knows of none. False means that it was paid just
    now, and has been applied; or is being paid; or that the provider could not be asked. Look at the record again under its
    lock: it may have been paid before. Must not be called in a transaction.
    """
    for _ in range(ROUNDS):
        payment = selectors.live_payment(payable, record_id)
        if payment is None:
            return True
        if not _close(payment):
            return False
    return False


def close_payments_later(*, payable: str, record_id: int) -> None:
    """Close the payment page of a record after the caller's transaction, in which what is due has changed.

    A charge of a saved method is not sent from now on, even if the provider cannot be asked whether it has arrived. Money that
    arrives all the same is applied as far as the record needs it.
    """
    charges = selectors.payments_of(payable, record_id).filter(IS_CHARGE, status=PaymentStatus.STARTED)
    charges.update(expires_at=timezone.now())
    # A partial has no name, under which Django would log its failure.
    transaction.on_commit(lambda: _close_all(payable, record_id), robust=True)


def _close_all(payable: str, record_id: int) -> None:
    close_payments(payable=payable, record_id=record_id)


def _close(payment: Payment) -> bool:
    if payment.status == PaymentStatus.STARTED and payment.is_charge:
        Payment.objects.filter(pk=payment.pk, status=PaymentStatus.STARTED).update(expires_at=timezone.now())
    elif payment.status == PaymentStatus.STARTED:
        # Its page has not been shown to anybody yet; a request that is about to finds it closed.
        payment = _end(payment, PaymentStatus.EXPIRED)
    try:
        if payment.status == PaymentStatus.OPEN and not payment.has_lapsed:
            with suppress(ProviderRefused):
                provider_of(payment).expire(payment)
        if payment.is_live:
            payment = settle(payment_id=payment.pk)
    except ProviderError as problem:
        logger.warning("The payment %s could not be closed: %s", payment.pk, problem)
    return payment.status in {PaymentStatus.FAILED, PaymentStatus.EXPIRED}


def _end(payment: Payment, status: PaymentStatus, error: str = "") -> Payment:
    """End an attempt whose payment page does not exist, as far as we know."""
    return apply_outcome(payment.pk, Outcome(status, error=error), to=[PaymentStatus.STARTED])


def resume(payment: Payment) -> None:
    """Go on with an attempt that a crash has left without a payment page, or without an outcome. Raises ProviderError."""
    if payment.is_charge:
        settle(payment_id=payment.pk)
        return
    if payment.expires_at and payment.expires_at <= timezone.now():
        _end(payment, PaymentStatus.EXPIRED)
        return
    try:
        open_page(payment)
    except ProviderRefused as refusal:
        _end(payment, PaymentStatus.FAILED, str(refusal))
