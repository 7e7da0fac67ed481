"""Both families of signatures, verified as a receiver would, over the exact bytes that came."""

import base64
import datetime as dt
import hashlib
import hmac
from typing import Any

import pytest
from django.utils import timezone

from cms_api.webhooks.models import Delivery, Endpoint
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.endpoints import rotate_secret
from tests.builders import make_item

from .conftest import Subscribe
from .receiver import Answer, Receiver, Request

pytestmark = pytest.mark.django_db

TOLERANCE = 300


class Refused(Exception):
    """The verification failed: `standardwebhooks` raises WebhookVerificationError."""


def verify(secret: str, request: Request, *, now: float | None = None) -> None:
    """The algorithm of the `standardwebhooks` libraries. Raises Refused."""
    try:
        identity, sent_at, given = (request.headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError:
        raise Refused("missing") from None
    if abs((now or timezone.now().timestamp()) - int(sent_at)) > TOLERANCE:
        raise Refused("old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    made = hmac.new(key, f"{identity}.{sent_at}.".encode() + request.body, hashlib.sha256).digest()
    for versioned in given.split(" "):
        version, _, signature = versioned.partition(",")
        if version == "v1" and hmac.compare_digest(base64.b64decode(signature), made):
            return
    raise Refused("wrong")


def own_signature(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def delivered(receiver: Receiver, count: int = 1) -> list[Request]:
    deliver_due()
    assert len(receiver.requests) == count
    return receiver.requests


@pytest.mark.both_databases
def test_it_works(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    item = make_item(title="Grüße \U0001f600")
    (request,) = delivered(receiver)
    identity = Delivery.objects.get().pk
    verify(endpoint.secret, request)
    assert request.headers["x-service-signature"] == own_signature(endpoint.secret, request.body)
    assert request.headers["x-service-event"] == "content_item.created"
    assert request.headers["x-service-delivery"] == str(identity)
    assert request.headers["webhook-id"] == f"msg_{identity}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert item.title.encode() in request.body
    assert request.raw.startswith(b"POST /hook HTTP/1.1\r\n")


@pytest.mark.parametrize("changed", ["body", "webhook-id", "webhook-timestamp", "webhook-signature", "secret", "replay"])
def test_what_was_changed_is_noticed(subscribe: Subscribe, receiver: Receiver, changed: str) -> None:
    endpoint = subscribe()
    make_item()
    (request,) = delivered(receiver)
    secret, now, body, headers = endpoint.secret, None, request.body, dict(request.headers)
    if changed == "body":
        body = body.replace(b'"published"', b'"Published"')
    elif changed == "secret":
        secret = "whsec_" + base64.b64encode(b"0" * 30).decode()
    elif changed == "replay":
        now = timezone.now().timestamp() + TOLERANCE + 10
    elif changed == "webhook-timestamp":
        headers[changed] = str(int(headers[changed]) + 1)
    elif changed == "webhook-id":
        headers[changed] += "0"
    else:
        headers[changed] = "v1," + base64.b64encode(b"0" * 32).decode()
    with pytest.raises(Refused):
        verify(secret, Request(request.path, headers, body, b""), now=now)


def test_a_retry_is_the_same_but_for_the_time_of_the_attempt(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(500), Answer(200))
    make_item()
    now = timezone.now()
    passed = iter(range(0, 100_000, 7))
    monkeypatch.setattr(timezone, "now", lambda: now + dt.timedelta(seconds=next(passed)))
    first, second = delivered(receiver, 2)
    assert first.body == second.body
    for name in ("webhook-id", "x-service-delivery", "x-service-event", "x-service-signature"):
        assert first.headers[name] == second.headers[name]
    assert int(first.headers["webhook-timestamp"]) < int(second.headers["webhook-timestamp"])
    assert first.headers["webhook-signature"] != second.headers["webhook-signature"]
    for request in (first, second):
        verify(endpoint.secret, request, now=float(request.headers["webhook-timestamp"]))


def test_both_secrets_sign_for_a_day_after_a_rotation(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    old, new = endpoint.secret, rotate_secret(endpoint=endpoint)
    assert old != new
    make_item()
    (request,) = delivered(receiver)
    verify(old, request)
    verify(new, request)
    assert request.headers["webhook-signature"].count("v1,") == 2
    assert request.headers["x-service-signature"] == own_signature(new, request.body)
    assert dt.timedelta(hours=23, minutes=59) < endpoint.previous_secret_until - timezone.now() <= dt.timedelta(hours=24)


def test_the_old_secret_is_worth_nothing_after_a_day(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    old, new = endpoint.secret, rotate_secret(endpoint=endpoint)
    Endpoint.objects.update(previous_secret_until=timezone.now() - dt.timedelta(seconds=1))
    make_item()
    (request,) = delivered(receiver)
    verify(new, request)
    with pytest.raises(Refused):
        verify(old, request)


def test_a_second_rotation_ends_the_first_secret(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    first = endpoint.secret
    second, third = rotate_secret(endpoint=endpoint), rotate_secret(endpoint=endpoint)
    make_item()
    (request,) = delivered(receiver)
    verify(second, request)
    verify(third, request)
    with pytest.raises(Refused):
        verify(first, request)


def test_each_endpoint_has_a_secret_of_its_own(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoints = {f"/{number}": subscribe(f"/{number}") for number in range(3)}
    make_item()
    for request in delivered(receiver, 3):
        verify(endpoints[request.path].secret, request)
        for path, other in endpoints.items():
            if path != request.path:
                with pytest.raises(Refused):
                    verify(other.secret, request)


def test_the_prefix_of_the_headers_is_the_sites_to_choose(subscribe: Subscribe, receiver: Receiver, settings: Any) -> None:
    settings.SIGNATURE_HEADER_PREFIX = "X-Acme"
    endpoint = subscribe()
    make_item()
    (request,) = delivered(receiver)
    assert request.headers["x-acme-signature"] == own_signature(endpoint.secret, request.body)
    assert {"x-acme-event", "x-acme-delivery"} <= set(request.headers)
    assert not [name for name in request.headers if name.startswith("x-service")]
