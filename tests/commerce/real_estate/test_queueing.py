"""Runs that people ask for: one for each feed however many ask at once, with its control, and in the worker's turn."""

from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from commerce.real_estate.models import Feed, FeedRun, Property
from commerce.real_estate.selectors.feeds import due_feeds, failing_feeds, feeds_to_confirm
from commerce.real_estate.services import queue_run, queueing, run_feed, save_feed
from tests.client import together
from tests.unprotected import meet_before, without_transactions
from tests.webhooks.receiver import Receiver

from .builders import import_records, make_feed, page, record

THREADS = 6
PATH = "/odata/Property"
URL = f"https://api.example.com{PATH}"


def outcome(feed: Feed) -> str:
    try:
        return "queued" if queue_run(feed=feed) else "running"
    except Invalid:
        return "refused"


def reso(receiver: Receiver) -> Feed:
    return make_feed(url=receiver.url(PATH))


@pytest.mark.both_databases
def test_it_works(server: Receiver) -> None:
    feed = reso(server)
    save_feed(feed=feed, values={"enabled": True})
    server.set_answers(PATH, page(record(1)))
    Feed.objects.update(next_run_at=timezone.now() + timedelta(hours=1), watermark=timezone.now())
    assert not due_feeds(timezone.now()).exists()
    assert queue_run(feed=feed) is True
    assert list(due_feeds(timezone.now())) == [feed]
    assert run_feed(feed=feed).status == "finished"
    assert Property.objects.count() == 1


def test_a_feed_that_is_gone_or_of_files_is_refused() -> None:
    feed = make_feed()
    with pytest.raises(Invalid):
        queue_run(feed=feed)
    Feed.objects.all().delete()
    with pytest.raises(NotFound):
        queue_run(feed=feed)


def test_a_confirmation_removes_what_was_kept(server: Receiver) -> None:
    feed = reso(server)
    server.set_answers(PATH, page(*(record(number) for number in range(1, 11))), page(record(1)), page(record(1)))
    run_feed(feed=feed)
    run = run_feed(feed=feed, kind="keys")
    assert (run.status, Property.objects.count()) == ("failed", 10)
    assert list(feeds_to_confirm()) == [feed]
    assert not failing_feeds().exists()
    queue_run(feed=feed, allow_removals=True)
    assert run_feed(feed=feed).removed == 9
    assert Property.objects.count() == 1
    assert not feeds_to_confirm().exists()


def test_a_failing_feed_is_named_until_it_works_again() -> None:
    feed = make_feed()
    import_records(feed, record(1))
    assert not failing_feeds().exists()
    run = FeedRun.objects.get()
    FeedRun.objects.create(feed=feed, kind="file", status="failed", started_at=run.started_at + timedelta(hours=1))
    assert list(failing_feeds()) == [feed]
    save_feed(feed=feed, values={"enabled": False})
    assert not failing_feeds().exists()


@pytest.mark.django_db(transaction=True)
def test_many_who_ask_at_once_get_one_run() -> None:
    feed = make_feed(url=URL)
    assert set(together(lambda number: outcome(feed), THREADS)) == {"queued"}
    assert FeedRun.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_some_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = make_feed(url=URL)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, queueing, "_start", threads=THREADS)
    found = together(lambda number: outcome(feed), THREADS)
    assert found.count("refused") == THREADS - 1
    # Even then the constraint lets one run begin.
    assert FeedRun.objects.count() == 1
