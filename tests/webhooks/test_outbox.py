"""Events in the outbox: the payload of that moment, in the transaction of the change, for subscribed endpoints."""

import datetime as dt
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.content.models import ContentItem
from cms_api.content.services.bulk import create_items
from cms_api.content.services.items import create_item, publish_due_items
from cms_api.content.services.types import delete_term, save_type
from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Delivery, Endpoint, OutboxEvent
from cms_api.webhooks.services import emit, outbox
from cms_api.webhooks.services.deliveries import deliver_due, drop_stale
from cms_api.webhooks.services.endpoints import delete_endpoint, disable_endpoint
from commerce.crm.services import upsert_contact
from commerce.crm.services.contacts import update_contact
from commerce.marketing.services import unsubscribe, upsert_subscriber
from commerce.members.models import Member
from commerce.members.services import cancel
from tests.builders import blog_post, field, make_form, make_image, make_item, make_term, make_type
from tests.client import Api
from tests.content.test_admin_forms import edit_url, open_form
from tests.figures import figure
from tests.people import PASSWORD

from .conftest import Subscribe
from .receiver import Receiver

pytestmark = pytest.mark.django_db

#: Each one hundred and first of them stands.
WRITES = figure(303, 1010)


def written() -> list[tuple[str, Any]]:
    """Kinds and payloads of all events, in their order."""
    return [(event.kind, json.loads(bytes(event.payload))) for event in OutboxEvent.objects.order_by("id")]


def newest() -> tuple[str, Any]:
    return written()[-1]


@pytest.mark.both_databases
def test_it_works(api: Api, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    made = api.post("/content-items", {"type": blog_post().slug, "data": {"title": "Hello"}, "status": "published"}).json()
    delivery = Delivery.objects.get()
    assert (delivery.endpoint, delivery.status, delivery.attempts) == (endpoint, "pending", 0)
    assert newest() == ("content_item.created", api.data(f"/content-items/{made['data']['id']}"))
    assert deliver_due() == 1
    (request,) = receiver.requests
    assert request.json == {
        "event": "content_item.created",
        "delivery_id": delivery.pk,
        "timestamp": delivery.event.occurred_at.replace(microsecond=0).isoformat(),
        "data": made["data"],
    }
    assert request.body == json.dumps(request.json, separators=(",", ":"), ensure_ascii=False).encode()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts, delivery.response_code, delivery.answer) == ("delivered", 1, 200, "ok")


def test_the_payload_is_what_a_get_answers(api: Api, subscribe: Subscribe) -> None:
    """For each verb, of an item with a picture, terms, a link, a date and text that JSON may write in several ways."""
    subscribe()
    fields = [field("when", "datetime"), field("other", "relation"), field("genre", "taxonomy", multiple=True)]
    item_type = make_type(*fields, field("body", "richtext_tiptap"), has_detail=True)
    make_term(item_type, "genre", "Jazz")
    data = {"title": "Käse & <é> \U0001f600", "when": {"start": "2026-05-01T18:00", "tz": "Europe/Paris"}, "genre": ["jazz"]}
    data |= {"other": make_item().pk, "body": "<p>Hi</p>"}
    sent = {"type": item_type.slug, "data": data, "featured_media_id": make_image().pk, "status": "published"}
    answer = api.post("/content-items", sent)
    assert answer.status_code == 201, answer.content
    path = f"/content-items/{answer.json()['data']['id']}"
    assert newest() == ("content_item.created", api.data(path))
    api.patch(path, {"data": {"title": "Changed"}, "status": "unpublished"})
    last = api.data(path)
    assert newest() == ("content_item.updated", last)
    api.delete(path)
    assert newest() == ("content_item.deleted", last)


def test_a_later_change_leaves_an_earlier_payload_alone(api: Api, subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    item = make_item(title="First")
    api.patch(f"/content-items/{item.pk}", {"data": {"title": "Second"}})
    api.delete(f"/content-items/{item.pk}")
    deliver_due()
    assert [(request.json["event"], request.json["data"]["title"]) for request in receiver.requests] == [
        ("content_item.created", "First"),
        ("content_item.updated", "Second"),
        ("content_item.deleted", "Second"),
    ]


def test_what_people_do_in_the_admin(admin_client: Client, api: Api, subscribe: Subscribe) -> None:
    subscribe()
    item_type = make_type()
    url = f"/admin/content/items/add/?type={item_type.slug}"
    admin_client.post(url, open_form(admin_client, url, data__title="News", **{"action-publish": "1"}))
    item = ContentItem.objects.get(type=item_type)
    assert {kind for kind, _ in written()} <= {"content_item.created", "content_item.updated"}
    assert newest()[1] == api.data(f"/content-items/{item.pk}")
    count = len(written())
    admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), data__title="A draft of it"))
    assert len(written()) == count
    admin_client.post(edit_url(item), open_form(admin_client, edit_url(item), data__title="New", **{"action-publish": "1"}))
    assert newest() == ("content_item.updated", api.data(f"/content-items/{item.pk}"))
    assert newest()[1]["title"] == "New"


def test_publishing_when_the_date_has_come(api: Api, subscribe: Subscribe) -> None:
    subscribe()
    item = make_item(status="scheduled", published_at=timezone.now() + dt.timedelta(hours=1))
    ContentItem.objects.filter(pk=item.pk).update(published_at=timezone.now() - dt.timedelta(minutes=1))
    assert publish_due_items() == 1
    assert newest() == ("content_item.updated", api.data(f"/content-items/{item.pk}"))
    assert newest()[1]["status"] == "published"


@pytest.mark.both_databases
def test_many_at_once(api: Api, subscribe: Subscribe) -> None:
    subscribe()
    items = create_items(item_type=blog_post(), rows=[{"data": {"title": f"T {n}"}, "status": "published"} for n in range(30)])
    assert written() == [("content_item.created", api.data(f"/content-items/{item.pk}")) for item in items]


def test_items_that_lose_a_link(api: Api, subscribe: Subscribe) -> None:
    target = make_item()
    pointing = make_item(make_type(field("one", "relation")), data={"one": target.pk})
    subscribe()
    api.delete(f"/content-items/{target.pk}")
    assert sorted((kind, record["id"]) for kind, record in written()) == [
        ("content_item.deleted", target.pk),
        ("content_item.updated", pointing.pk),
    ]
    payload = next(record for kind, record in written() if kind == "content_item.updated")
    assert payload == api.data(f"/content-items/{pointing.pk}")
    assert payload["fields"]["one"] is None


class Undone(Exception):
    """An exception that is raised after an event has been written, and rolls back the change."""


@contextmanager
def looking_for_work() -> Iterator[None]:
    """A worker that sends whatever it finds, a hundred times a second."""
    done = threading.Event()

    def deliver() -> None:
        try:
            while not done.wait(0.01):
                deliver_due()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(deliver)
        try:
            yield
        finally:
            done.set()
        looking.result(60)


@pytest.mark.django_db(transaction=True)
def test_rolled_back_writes_emit_nothing(subscribe: Subscribe, receiver: Receiver) -> None:
    """In transactions of their own, while a worker is looking. One in a hundred stands: these arrive, and nothing else does."""
    subscribe()
    item_type = blog_post()
    undone, standing = [], []
    with looking_for_work():
        for number in range(WRITES):
            title, stands = f"Item {number}", number % 101 == 100
            with suppress(Undone), transaction.atomic():
                item = create_item(item_type=item_type, values={"data": {"title": title}})
                # It has been written, for those who can see it.
                assert json.loads(bytes(OutboxEvent.objects.latest("pk").payload))["id"] == item.pk
                if not stands:
                    undone.append(title)
                    raise Undone
                standing.append(title)
        ends = time.monotonic() + 20
        while len(receiver.requests) < len(standing) and time.monotonic() < ends:
            time.sleep(0.01)
    assert deliver_due() == 0
    count = WRITES // 101
    assert (len(undone), len(standing)) == (100 * count, count)
    assert [request.json["data"]["title"] for request in receiver.requests] == standing
    assert (OutboxEvent.objects.count(), Delivery.objects.count(), receiver.contacts) == (count, count, count)


def test_a_refused_request_leaves_nothing(api: Api, subscribe: Subscribe) -> None:
    subscribe()
    item_type = make_type(field("sku", "text", unique=True))
    make_item(item_type, data={"sku": "A"})
    before = OutboxEvent.objects.count()
    refused = api.post("/content-items", {"type": item_type.slug, "data": {"title": "B", "sku": "A"}})
    assert refused.status_code == 422
    assert OutboxEvent.objects.count() == before == 1


def test_nothing_is_written_while_webhooks_are_off(subscribe: Subscribe) -> None:
    subscribe()
    switch_feature(name="webhooks", on=False)
    make_item()
    assert not OutboxEvent.objects.exists()
    switch_feature(name="webhooks", on=True)
    make_item()
    assert OutboxEvent.objects.count() == 1


def test_nothing_is_written_while_the_events_module_is_off(subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch) -> None:
    subscribe()
    monkeypatch.setattr(registry, "event_feature", lambda kind: "crm")
    make_item()
    assert not OutboxEvent.objects.exists()
    switch_feature(name="crm", on=True)
    make_item()
    assert OutboxEvent.objects.count() == 1


def test_one_event_for_all_who_want_it_and_none_for_others(subscribe: Subscribe) -> None:
    wanting = [subscribe("/all"), subscribe("/both", "content_item.created", "content_item.deleted")]
    subscribe("/other", "content_item.deleted")
    subscribe("/disabled", enabled=False)
    make_item()
    assert OutboxEvent.objects.count() == 1
    assert set(Delivery.objects.values_list("endpoint_id", flat=True)) == {endpoint.pk for endpoint in wanting}


def test_the_sample_of_each_kind_has_the_keys_of_a_real_one(api: Api, subscribe: Subscribe) -> None:
    """The document's example of `data`; keys that depend on a type's settings may be missing from either.

    Modules written by `startmodule` have this test among their own.
    """
    subscribe()
    item_type = make_type(field("body", "text"), has_detail=True)
    item = make_item(item_type)
    api.patch(f"/content-items/{item.pk}", {"data": {"body": "x"}})
    api.delete(f"/content-items/{item.pk}")
    api.post(f"/forms/{make_form(field('name', 'text')).pk}/submissions", {"data": {"name": "Dana"}})
    switched = ("crm", "marketing", "members")
    for name in switched:
        switch_feature(name=name, on=True)
    contact = upsert_contact(values={"email": "dana@example.com"}, source="api").contact
    update_contact(contact=contact, values={"phone": "1"})
    unsubscribe(subscriber=upsert_subscriber(values={"email": "dana@example.com"}, source="api").subscriber)
    cancel(member=Member.objects.get(user=create_member(email="dana@example.com", password=PASSWORD)))
    real = dict(written())
    modules = [module for module in registry.modules() if module.name in ("content", "forms", *switched)]
    assert set(real) == {event.kind for module in modules for event in module.api.events}
    for kind, data in real.items():
        assert set(registry.load(registry.event(kind).document).example) == set(data), kind


def seen_before(monkeypatch: pytest.MonkeyPatch, *endpoints: Endpoint) -> None:
    """The writer has read who subscribed just before that changed."""
    numbers = [endpoint.pk for endpoint in endpoints]
    monkeypatch.setattr(outbox, "find_subscribed", lambda kind: numbers)


@pytest.mark.both_databases
def test_a_subscription_that_is_deleted_meanwhile_fails_no_write(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its event is nobody's, and is cleared away."""
    kept, gone = subscribe("/kept"), subscribe("/gone")
    seen_before(monkeypatch, kept, gone)
    delete_endpoint(endpoint=gone)
    make_item()
    assert Delivery.objects.count() == 2
    connection.check_constraints()
    deliver_due()
    assert [request.path for request in receiver.requests] == ["/kept"]
    drop_stale()
    assert Delivery.objects.count() == 1


def test_an_event_for_an_endpoint_that_is_disabled_meanwhile_is_not_sent(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = subscribe()
    seen_before(monkeypatch, endpoint)
    disable_endpoint(endpoint=endpoint, reason="By hand.")
    make_item()
    assert (deliver_due(), receiver.contacts) == (0, 0)
    Delivery.objects.update(created_at=timezone.now() - dt.timedelta(hours=25))
    drop_stale()
    assert Delivery.objects.get().status == "cancelled"


def test_disabling_cancels_what_waits(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    make_item()
    assert disable_endpoint(endpoint=endpoint, reason="By hand.")
    assert Delivery.objects.get().status == "cancelled"
    assert (deliver_due(), receiver.contacts) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_an_event_cannot_be_written_outside_a_transaction(subscribe: Subscribe) -> None:
    item = make_item()
    subscribe()
    with pytest.raises(AssertionError, match="inside the transaction"):
        emit("content_item.updated", item)


@pytest.mark.both_databases
def test_items_that_lose_a_term_or_get_a_renamed_option_are_updated(api: Api, subscribe: Subscribe) -> None:
    subscribe()
    item_type = make_type(field("topic", "taxonomy"), field("size", "select", options=[{"value": "s", "label": "S"}]))
    term = make_term(item_type, "topic")
    item = make_item(item_type, data={"topic": [term.pk], "size": "s"})
    delete_term(term=term)
    assert newest() == ("content_item.updated", api.data(f"/content-items/{item.pk}"))
    assert newest()[1]["terms"]["topic"] == []
    fields = [*item_type.fields[:2], {**item_type.fields[2], "options": [{"value": "small", "label": "S"}]}]
    save_type(item_type=item_type, values={"fields": fields})
    assert newest() == ("content_item.updated", api.data(f"/content-items/{item.pk}"))
    assert newest()[1]["fields"]["size"] == "small"
