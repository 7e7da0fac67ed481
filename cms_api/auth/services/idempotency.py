"""Answers a repeated POST with the first response, and does its work exactly once even if a process dies in between.

The claim is committed before the work begins; the response is stored in the work's own transaction. So a process that is
killed leaves either both the effect and its response, or neither and a claim that expires after CLAIM.
"""

import hashlib
from collections.abc import Callable
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.core.errors import Conflict, Invalid
from cms_api.http import wire
from cms_api.http.wire import Answer

from ..models import IdempotencyRecord
from ..types import Grant

MAX_KEY_LENGTH = 255
RETENTION = timedelta(hours=24)
#: No request runs longer; an older claim was left by a process that died.
CLAIM = timedelta(minutes=5)


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
    fingerprint = hashlib.sha256(body).hexdigest()
    record, kept = _claim(grant, scope, fingerprint)
    if kept is not None:
        return kept
    try:
        refusal = _refused(receive)
        with transaction.atomic():
            answer = refusal or _run(work)
            # No row matches only if the claim expired and another request took it: then roll this one back.
            if not IdempotencyRecord.objects.filter(pk=record.pk, started_at=record.started_at).update(
                status=answer.status, body=answer.body
            ):
                raise Conflict
    except BaseException:
        IdempotencyRecord.objects.filter(pk=record.pk, status=None, started_at=record.started_at).delete()
        raise
    return answer


def _refused(receive: Callable[[], object] | None) -> Answer | None:
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


def _claim(grant: Grant, scope: str, fingerprint: str) -> tuple[IdempotencyRecord, Answer | None]:
    now = timezone.now()
    record = IdempotencyRecord(token_id=grant.id, scope=scope, fingerprint=fingerprint, started_at=now)
    try:
        with transaction.atomic():
            record.save(force_insert=True)
        return record, None
    except IntegrityError:
        pass
    found = IdempotencyRecord.objects.filter(token_id=grant.id, scope=scope).first()
    if found is None:
        raise Conflict
    over = found.started_at < now - (RETENTION if found.status else CLAIM)
    if over:
        renewed = IdempotencyRecord.objects.filter(pk=found.pk, started_at=found.started_at).update(
            fingerprint=fingerprint, status=None, body=b"", started_at=now
        )
        if not renewed:
            raise Conflict
        found.started_at = now
        return found, None
    if found.fingerprint != fingerprint:
        raise Invalid({"idempotency_key": "The idempotency key was used with another body."})
    if found.status is None:
        raise Conflict
    return found, Answer(bytes(found.body), found.status, {"Idempotency-Replayed": "true"})


def expire_records() -> None:
    IdempotencyRecord.objects.filter(started_at__lt=timezone.now() - RETENTION).delete()
