"""Subscribers who never confirm are deleted after a month; all others stay."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.search.models import IndexEntry

from cms_api.core import registry
from cms_api.core.jobs import run_all_jobs
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from cms_api.text.search import matching
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.services import upsert_contact
from commerce.marketing.demo import load
from commerce.marketing.models import Subscriber
from commerce.marketing.services.housekeeping import drop_pending
from commerce.marketing.services.signup import ask_to_confirm
from commerce.marketing.services.subscribers import confirm
from commerce.marketing.types import Status
from tests.builders import make_endpoint
from tests.client import together
from tests.conftest import renew_budgets

from .conftest import mails, make_subscriber, path_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

MONTH = timedelta(days=30)


def age(days: float) -> None:
    """Moves everybody into the past."""
    gone = timedelta(days=days)
    Subscriber.objects.update(created_at=F("created_at") - gone, updated_at=F("updated_at") - gone)


def left() -> set[str]:
    return set(Subscriber.objects.values_list("email", flat=True))


@pytest.mark.both_databases
def test_it_works() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")
    for status in Status.values:
        make_subscriber(f"{status}@example.com", status=Status(status))
    before = OutboxEvent.objects.count()
    pending = Subscriber.objects.get(status=Status.PENDING)
    drop_pending()
    assert len(left()) == 3
    age(31)
    make_subscriber("new@example.com", status=Status.PENDING)
    run_all_jobs()
    assert left() == {"active@example.com", "unsubscribed@example.com", "new@example.com"}
    assert OutboxEvent.objects.count() == before
    assert not IndexEntry.objects.filter(object_id=str(pending.pk), content_type__model="subscriber").exists()
    assert matching(Subscriber.objects.all(), "active").exists()
    drop_pending()


def test_while_marketing_is_off_they_are_forgotten_too() -> None:
    make_subscriber("pending@example.com", status=Status.PENDING)
    age(31)
    switch_feature(name="marketing", on=False)
    drop_pending()
    assert left() == set()


def test_nobody_is_forgotten_whose_link_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signing up again, even when nothing is new, begins the month anew: another link is mailed."""
    ask_to_confirm(email="dana@example.com")
    age(29)
    renew_budgets(monkeypatch)
    ask_to_confirm(email="dana@example.com", first_name="Dana")
    age(29.9)
    drop_pending()
    assert left() == {"dana@example.com"}
    assert len(mails("subscription_confirm")) == 2
    age(1)
    drop_pending()
    assert left() == set()


@pytest.mark.both_databases
def test_a_deleted_subscriber_can_sign_up_again() -> None:
    ask_to_confirm(email="dana@example.com")
    path = path_in(mails("subscription_confirm")[0], "/subscribe/confirm/")
    age(31)
    drop_pending()
    assert Client().get(path).status_code == 404
    assert left() == set()
    made = make_subscriber("dana@example.com", status=Status.PENDING)
    assert confirm(subscriber=made)


def test_the_demo_is_kept() -> None:
    load(3, lambda count: None)
    before = Subscriber.objects.filter(status=Status.PENDING).count()
    drop_pending()
    assert Subscriber.objects.filter(status=Status.PENDING).count() == before


@pytest.mark.both_databases
def test_many_are_forgotten_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.marketing.services.housekeeping.BATCH", 4)
    for number in range(10):
        make_subscriber(f"p{number}@example.com", status=Status.PENDING)
        make_subscriber(f"a{number}@example.com")
    age(31)
    with CaptureQueriesContext(connection) as queries:
        drop_pending()
    assert left() == {f"a{number}@example.com" for number in range(10)}
    deletions = [query for query in queries if 'DELETE FROM "marketing_subscriber"' in query["sql"]]
    assert len(deletions) == 3


@pytest.mark.both_databases
def test_the_index_finds_them() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("EXPLAIN is PostgreSQL's.")
    now = timezone.now()
    rows = [
        Subscriber(email=f"s{number}@example.com", status=Status.ACTIVE, created_at=now - 2 * MONTH, updated_at=now - 2 * MONTH)
        for number in range(20_000)
    ]
    Subscriber.objects.bulk_create(rows, batch_size=5000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE marketing_subscriber")
    old = Subscriber.objects.filter(status=Status.PENDING, updated_at__lt=now - MONTH).order_by("updated_at", "id")
    assert "subscriber_by_status_change" in old.values_list("pk", flat=True)[:500].explain()


def test_a_run_ends_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    make_subscriber(status=Status.PENDING)
    age(31)
    (job,) = [job for job in registry.jobs() if job.name == "drop_pending_subscribers"]
    with monkeypatch.context() as patch:
        patch.setattr("commerce.marketing.services.housekeeping.RUN_SECONDS", -1.0)
        registry.load(job.function)()
    assert len(left()) == 1
    registry.load(job.function)()
    assert left() == set()


@pytest.mark.django_db(transaction=True)
def test_subscribers_who_confirm_meanwhile_stay() -> None:
    """The job skips a subscriber whose row is locked while they confirm, and finds them confirmed the next time."""
    switch_feature(name="crm", on=True)
    people = [make_subscriber(f"p{number}@example.com", status=Status.PENDING) for number in range(6)]
    upsert_contact(values={"email": people[0].email}, source="test")
    age(31)
    if connection.vendor == "postgresql":
        confirming, dropped = threading.Event(), threading.Event()

        def work(number: int) -> None:
            if number:
                confirming.wait(20)
                drop_pending()
                dropped.set()
                return
            with transaction.atomic():
                confirm(subscriber=people[0])
                confirming.set()
                dropped.wait(20)

        together(work, 2)
        assert left() == {people[0].email}
    else:
        confirm(subscriber=people[0])
        drop_pending()
    assert Subscriber.objects.get().status == Status.ACTIVE


@pytest.mark.django_db(transaction=True)
def test_confirming_and_forgetting_at_once() -> None:
    for turn in range(5):
        people = [make_subscriber(f"p{turn}-{number}@example.com", status=Status.PENDING) for number in range(4)]
        Subscriber.objects.filter(status=Status.PENDING).update(updated_at=timezone.now() - 2 * MONTH)

        def work(number: int, people: list[Subscriber] = people) -> str:
            if number % 2:
                drop_pending()
                return ""
            try:
                return people[number].email if confirm(subscriber=people[number]) else ""
            except NotFound:
                return ""

        confirmed = {email for email in together(work, 4) if email}
        drop_pending()
        assert {email for email in left() if email.startswith(f"p{turn}-")} == confirmed
