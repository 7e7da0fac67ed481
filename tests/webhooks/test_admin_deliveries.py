"""The log of a webhook in the admin, resending, and the test that is sent at once."""

import base64
import hmac
import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from wagtail.users.models import UserProfile

from cms_api.core import registry
from cms_api.webhooks.models import Attempt, Delivery, Endpoint, OutboxEvent
from cms_api.webhooks.services import endpoints as services
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.testing import send_test

from .conftest import Subscribe
from .receiver import Answer, Receiver

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

KIND = "content_item.updated"


def make_delivery(endpoint: Endpoint, **changes: Any) -> Delivery:
    payload = json.dumps({"id": 7, "title": "Café <b>"}, ensure_ascii=False, separators=(",", ":")).encode()
    event = OutboxEvent.objects.create(kind=KIND, occurred_at=timezone.now(), payload=payload)
    now = timezone.now()
    return Delivery.objects.create(**{"endpoint": endpoint, "event": event, "created_at": now, "next_attempt_at": now, **changes})


def address(name: str, record: Any) -> str:
    namespace = "webhook_deliveries" if isinstance(record, Delivery) else "webhooks"
    return reverse(f"{namespace}:{name}", args=[record.pk])


def text(response: Any) -> str:
    assert response.status_code == 200
    found: str = response.content.decode()
    return found


def test_it_works(admin_client: Client, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    delivery = make_delivery(endpoint)
    receiver.set_answers("/hook", Answer(503, body=b"<i>Not today</i>"), Answer(200, body=b"Thanks"))
    deliver_due()
    deliver_due()
    listed = text(admin_client.get(address("inspect", endpoint)))
    assert address("inspect", delivery) in listed
    for words in (KIND, "Delivered", ">200<"):
        assert words in listed
    shown = text(admin_client.get(address("inspect", delivery)))
    for words in ("code <strong>503</strong>", "&lt;i&gt;Not today&lt;/i&gt;", "The receiver answered 503.", "Thanks"):
        assert words in shown
    for name in ("X-Service-Signature", "X-Service-Event", "X-Service-Delivery", "webhook-id", "webhook-signature"):
        assert f"<code>{name}</code>" in shown
    body = admin_client.get(address("inspect", delivery)).context["body"]
    assert json.loads(body) == receiver.requests[0].json
    assert '\n    "title": "Café <b>"' in body
    assert "Café &lt;b&gt;" in shown
    assert endpoint.secret not in shown + listed


def test_the_latest_ten_are_shown(admin_client: Client, subscribe: Subscribe) -> None:
    endpoint, other = subscribe(), subscribe("/other")
    made = [make_delivery(endpoint) for _ in range(12)]
    make_delivery(other)
    shown = admin_client.get(address("inspect", endpoint)).context["deliveries"]
    assert [each.pk for each in shown] == [each.pk for each in reversed(made[2:])]


def test_a_delivery_that_waits_says_when(admin_client: Client, subscribe: Subscribe) -> None:
    delivery = make_delivery(subscribe())
    shown = text(admin_client.get(address("inspect", delivery)))
    assert "Next attempt" in shown
    assert "No attempts yet." in shown
    assert "Resend</button>" not in shown


def test_a_finished_delivery_is_resent_with_the_same_id(admin_client: Client, subscribe: Subscribe, receiver: Receiver) -> None:
    delivery = make_delivery(subscribe())
    deliver_due()
    assert "Resend</button>" in text(admin_client.get(address("inspect", delivery)))
    answer = admin_client.post(address("resend", delivery), follow=True)
    assert answer.redirect_chain == [(address("inspect", delivery), 302)]
    assert "One more attempt is due now." in text(answer)
    assert "Only a finished delivery" in text(admin_client.post(address("resend", delivery), follow=True))
    deliver_due()
    first, second = receiver.requests
    assert first.body == second.body
    assert Attempt.objects.filter(delivery=delivery).count() == 2
    assert admin_client.get(address("resend", delivery)).status_code == 302
    delivery.refresh_from_db()
    assert delivery.status == "delivered"


def test_nothing_is_resent_to_what_is_disabled(admin_client: Client, subscribe: Subscribe) -> None:
    endpoint = subscribe()
    delivery = make_delivery(endpoint)
    services.disable_endpoint(endpoint=endpoint, reason="x")
    assert "Resend</button>" not in text(admin_client.get(address("inspect", delivery)))
    assert "of an enabled webhook" in text(admin_client.post(address("resend", delivery), follow=True))
    delivery.refresh_from_db()
    assert delivery.status == "cancelled"


def test_a_test_is_made_and_signed_like_a_real_delivery(admin_client: Client, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(202, body=b"<b>Got it</b>"))
    shown = text(admin_client.post(address("test", endpoint), {"kind": KIND}))
    for words in ("Accepted", "Code <strong>202</strong>", "&lt;b&gt;Got it&lt;/b&gt;"):
        assert words in shown
    assert "No deliveries yet." in shown
    (request,) = receiver.requests
    example = registry.load(registry.event(KIND).document).example
    assert request.json.keys() == {"event", "delivery_id", "timestamp", "data"}
    assert (request.json["event"], request.json["delivery_id"], request.json["data"]) == (
        KIND,
        0,
        json.loads(json.dumps(example)),
    )
    signature = hmac.new(endpoint.secret.encode(), request.body, sha256).hexdigest()
    assert request.headers["x-service-signature"] == f"sha256={signature}"
    assert (request.headers["x-service-event"], request.headers["x-service-delivery"]) == (KIND, "0")
    signed = f"msg_0.{request.headers['webhook-timestamp']}.".encode() + request.body
    key = base64.b64decode(endpoint.secret.removeprefix("whsec_"))
    assert request.headers["webhook-signature"] == "v1," + base64.b64encode(hmac.new(key, signed, sha256).digest()).decode()


@pytest.mark.parametrize("status", [410, 500])
@pytest.mark.both_databases
def test_a_test_never_counts(admin_client: Client, subscribe: Subscribe, receiver: Receiver, status: int) -> None:
    endpoint = subscribe()
    before = Endpoint.objects.values().get()
    receiver.set_answers("/hook", Answer(status))
    for _ in range(21):
        send_test(endpoint=endpoint, kind=KIND)
    shown = text(admin_client.post(address("test", endpoint), {"kind": KIND}))
    assert "Not accepted" in shown
    assert f"The receiver answered {status}." in shown
    assert Endpoint.objects.values().get() == before
    for model in (Delivery, OutboxEvent, Attempt):
        assert not model.objects.exists()


@pytest.mark.parametrize("kind", registry.event_kinds())
def test_every_event_has_a_sample(subscribe: Subscribe, receiver: Receiver, kind: str) -> None:
    assert send_test(endpoint=subscribe(), kind=kind).succeeded
    assert receiver.requests[0].json["data"]


def test_a_test_that_gets_no_answer_says_why(admin_client: Client, subscribe: Subscribe, settings: Any) -> None:
    endpoint = subscribe()
    settings.WEBHOOK_ALLOWED_NETWORKS = []
    shown = text(admin_client.post(address("test", endpoint), {"kind": KIND}))
    assert "No response" in shown
    assert "The host resolves to a private or reserved address." in shown


def test_what_is_disabled_can_be_tested(admin_client: Client, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    services.disable_endpoint(endpoint=endpoint, reason="x")
    assert "Accepted" in text(admin_client.post(address("test", endpoint), {"kind": KIND}))
    assert not Endpoint.objects.get().enabled


def test_a_test_needs_a_known_event(admin_client: Client, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    assert "not one of the available choices" in text(admin_client.post(address("test", endpoint), {"kind": "x"}))
    assert admin_client.get(address("test", endpoint)).headers["Location"] == address("inspect", endpoint)
    assert receiver.contacts == 0


def test_the_test_proposes_what_is_subscribed(admin_client: Client, subscribe: Subscribe) -> None:
    shown = text(admin_client.get(address("inspect", subscribe("/hook", KIND))))
    assert f'<option value="{KIND}" selected>' in shown


def test_moments_are_in_the_persons_time_zone(admin_client: Client, subscribe: Subscribe) -> None:
    endpoint = subscribe()
    moment = datetime(2026, 7, 1, 12, tzinfo=UTC)
    delivery = make_delivery(endpoint, created_at=moment)
    Endpoint.objects.update(created_at=moment, last_delivery_at=moment)
    UserProfile.objects.update_or_create(user=get_user_model().objects.get(), defaults={"current_time_zone": "Asia/Tokyo"})
    assert text(admin_client.get(address("inspect", endpoint))).count("Jul 1, 2026, 9:00\xa0PM") == 2
    assert "Jul 1, 2026, 9:00\xa0PM" in text(admin_client.get(address("inspect", delivery)))
