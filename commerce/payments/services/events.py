"""Messages of providers: verified, stored once, then handled by fetching the state of what they are about."""

import logging
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.not_found import found_or_404
from cms_api.http.external_keys import external_key_of, with_external_id
from commerce.common.types import MAX_EMAIL

from .. import selectors
from ..models import Payment, ProviderEvent
from ..types import MAX_DESCRIPTION, Event, PaymentStatus, ProviderError, ProviderRefused
from .providers import find_provider
from .refunds import sync_refunds
from .settling import provider_of, settle

logger = logging.getLogger(__name__)

#: For how long handled messages are kept. Providers repeat a message for some days.
RETENTION = timedelta(days=90)
_BATCH_ROWS = 500

UNKNOWN = "Unknown payment"
LOST = (
    "It is for something that isn't here, perhaps because an older backup was restored. "
    "Look it up at the payment provider, and ask the customer."
)


def receive_event(*, provider: str, body: bytes, headers: Mapping[str, str]) -> ProviderEvent:
    """Store a message and handle it; a repeated one is not handled again.

    A message that cannot be handled now is taken up by the sweep. Must not be called in a transaction. Raises NotFound for an
    unknown provider, Invalid if the message is not genuine.
    """
    found = found_or_404(find_provider(provider))
    stored = _store(provider, found.read_event(body, headers))
    if stored.handled_at is None:
        try:
            handle(stored)
        except ProviderError as problem:
            logger.warning("The message %s is handled later: %s", stored, problem)
        except Exception:
            logger.exception("The message %s could not be handled.", stored)
    return stored


def _store(provider: str, event: Event) -> ProviderEvent:
    now = timezone.now()
    try:
        with transaction.atomic():
            return ProviderEvent.objects.create(
                provider=provider, event_id=event.id, kind=event.kind[:100], payload=asdict(event), created_at=now
            )
    except IntegrityError:
        return ProviderEvent.objects.get(provider=provider, event_id=event.id)


def handle(stored: ProviderEvent) -> None:
    """Act on a message, and mark it as handled. Raises ProviderError."""
    event = Event(**stored.payload)
    payment = _find(stored.provider, event)
    if payment is not None and event.charge and payment.status != PaymentStatus.SUCCEEDED:
        payment = settle(payment_id=payment.pk)
    if event.charge and (payment is None or payment.charge != event.charge or payment.status != PaymentStatus.SUCCEEDED):
        # A message about a refund may overtake the one about its payment.
        stored.charge = event.charge
        stored.save(update_fields=["charge"])
        return
    if payment is not None and event.charge:
        sync_refunds(payment)
        dispute = provider_of(payment).dispute(payment)
        Payment.objects.filter(pk=payment.pk).update(dispute=dispute or "")
    elif payment is not None:
        settle(payment_id=payment.pk)
    elif event.session and event.payment_id:
        payment = _store_lost(stored.provider, event)
    stored.payment, stored.handled_at, stored.charge = payment, timezone.now(), ""
    stored.save(update_fields=["payment", "handled_at", "charge"])


def _store_lost(provider: str, event: Event) -> Payment | None:
    """Store money of a payment page of ours that nothing is known of, as after a restored backup: a person settles it."""
    found = find_provider(provider)
    if found is None or _filter_named(Payment.objects.all(), event).exists():
        return None
    try:
        arrival = found.find_arrival(event.session)
    except ProviderRefused:
        return None
    if arrival is None:
        return None
    now = timezone.now()
    payment, is_new = Payment.objects.get_or_create(
        provider=provider,
        reference=event.session,
        defaults={
            # Refunds and disputes name it by this key, too.
            **external_key_of(event.payment_id),
            "record_id": 0,
            "description": (arrival.description or UNKNOWN)[:MAX_DESCRIPTION],
            "email": arrival.email[:MAX_EMAIL],
            "amount_cents": arrival.amount.cents,
            "currency": arrival.amount.currency,
            "charge": arrival.charge,
            "status": PaymentStatus.SUCCEEDED,
            "unapplied": LOST,
            "paid_at": now,
            "created_at": now,
            "updated_at": now,
        },
    )
    if is_new:
        get_search_backend().add(payment)
        handle_waiting(payment)
    return payment


def handle_waiting(payment: Payment) -> None:
    """Act on the messages that have waited for a payment with this charge; those that cannot be handled now wait on."""
    for stored in selectors.waiting_messages(payment):
        try:
            handle(stored)
        except ProviderError as problem:
            logger.warning("The message %s is handled later: %s", stored, problem)


def _find(provider: str, event: Event) -> Payment | None:
    """Return the attempt that a message is about."""
    rows = Payment.objects.filter(provider=provider)
    if event.charge:
        # Not one that was split off.
        known = rows.filter(charge=event.charge).order_by("pk").first()
        return known or _filter_named(rows, event).filter(reference__isnull=False, charge="").first()
    if not event.session:
        return None
    if event.payment_id and not rows.filter(reference=event.session).exists():
        # A crash has lost the answer to our request for a payment page.
        lost = _filter_named(rows, event).filter(reference=None).exclude(status=PaymentStatus.SUCCEEDED)
        lost.update(reference=event.session)
    return rows.filter(reference=event.session).first()


def _filter_named(rows: QuerySet[Payment], event: Event) -> QuerySet[Payment]:
    """Return the attempt that a message names, if there is one. Messages that wait since an earlier release have a number."""
    return with_external_id(rows, str(event.payment_id))


def drop_old_events() -> None:
    """Delete messages after RETENTION, also those that have waited for a payment in vain: it was none of ours."""
    is_over = Q(handled_at__isnull=False) | ~Q(charge="")
    old = ProviderEvent.objects.filter(is_over, created_at__lt=timezone.now() - RETENTION)
    while keys := list(old.values_list("pk", flat=True)[:_BATCH_ROWS]):
        ProviderEvent.objects.filter(pk__in=keys).delete()
