"""Answers a repeated POST with the first response, and does its work exactly once even if a process dies in between.

The response is stored in the work's own transaction, so a process that is killed leaves either both the effect and its response,
or neither. While a request runs, it has a claim that ends with its process: the key of one that was killed is free at once.
"""

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from cms_api.core.claims import claim, claim_in_transaction, remove_left_claims
from cms_api.core.errors import Conflict, Invalid
from cms_api.core.once import delete_old_marks
from cms_api.http import wire
from cms_api.http.wire import Answer

from ..models import IdempotencyRecord
from ..types import Grant

MAX_KEY_LENGTH = 255
KEY_RETENTION = timedelta(hours=24)


def answer_once(
    *, grant: Grant, key: str, path: str, body: bytes, work: Callable[[], Answer], receive: Callable[[], object] | None = None
) -> Answer:
    """Return the response of `work`, or the stored response of an earlier request; `body` identifies the request's content.

    `receive` may be slow, so it runs before the transaction of `work`; its validation errors are stored like those of `work`.
    Raises Invalid for a key that is too long or was used with another body, Conflict while the first request runs.
    """
    if len(key) > MAX_KEY_LENGTH:
        raise Invalid({"idempotency_key": f"The idempotency key may not be greater than {MAX_KEY_LENGTH} characters."})
    scope = hashlib.sha256(f"{path}\0{key}".encode()).hexdigest()
    record = IdempotencyRecord(token_id=grant.id, scope=scope, fingerprint=hashlib.sha256(body).hexdigest())
    name = claim_name(grant.id, scope)
    with claim(name) as is_alone:
        if not is_alone:
            raise Conflict
        if kept := _find_stored(record):
            return kept
        refusal = _find_refusal(receive)
        with transaction.atomic():
            if not claim_in_transaction(name):
                raise Conflict
            # Another host may have answered meanwhile.
            if connection.vendor == "postgresql" and (kept := _find_stored(record)):
                return kept
            answer = refusal or _run(work)
            _store(record, answer)
    return answer


def claim_name(token_id: int, scope: str) -> str:
    return f"idempotency:{token_id}:{scope}"


def _find_refusal(receive: Callable[[], object] | None) -> Answer | None:
    try:
        if receive:
            receive()
    except Invalid as refusal:
        return Answer(wire.dump(refusal.body()), refusal.status)
    return None


def _run(work: Callable[[], Answer]) -> Answer:
    """Return the response of `work`. A validation error is a response too: it is stored, and partial writes are rolled back."""
    try:
        with transaction.atomic():
            return work()
    except Invalid as refusal:
        return Answer(wire.dump(refusal.body()), refusal.status)


def _find_stored(record: IdempotencyRecord) -> Answer | None:
    """Return the response that is stored under the key of a record. Raises Invalid if it is that of another body."""
    found = IdempotencyRecord.objects.filter(token_id=record.token_id, scope=record.scope, status__isnull=False).first()
    if found is None or found.started_at < timezone.now() - KEY_RETENTION:
        return None
    if found.fingerprint != record.fingerprint:
        raise Invalid({"idempotency_key": "The idempotency key was used with another body."})
    return Answer(bytes(found.body), found.status or 0, {"Idempotency-Replayed": "true"})


def _store(record: IdempotencyRecord, answer: Answer) -> None:
    """Store the response, in place of one that is too old. Raises Conflict if another request has stored one."""
    record.status, record.body, record.started_at = answer.status, answer.body, timezone.now()
    try:
        with transaction.atomic():
            record.save(force_insert=True)
    except IntegrityError:
        former = IdempotencyRecord.objects.filter(token_id=record.token_id, scope=record.scope)
        old = former.filter(started_at__lt=record.started_at - KEY_RETENTION) | former.filter(status=None)
        if not old.update(fingerprint=record.fingerprint, status=record.status, body=record.body, started_at=record.started_at):
            raise Conflict from None


def expire_records() -> None:
    remove_left_claims()
    delete_old_marks()
    IdempotencyRecord.objects.filter(started_at__lt=timezone.now() - KEY_RETENTION).delete()
