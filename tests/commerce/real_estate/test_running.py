"""Feeds of a real HTTPS server: all pages at first, then changes, once a day the keys; paused, continued, stopped and refused."""

from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import DataError
from django.utils import timezone

from cms_api.core import leases
from cms_api.core.errors import Invalid
from commerce.real_estate.models import Feed, FeedRun, Property, PropertyPhoto, SeenKey
from commerce.real_estate.services import batches, pages, run_feed, running, save_feed, stop_run, upload_file
from commerce.real_estate.services.running import RUNNING
from tests.webhooks.receiver import Answer, Receiver

from .builders import import_records, lines, make_feed, page, record
from .test_importing import PHOTOS, Killed, kill_at

PATH = "/odata/Property"
TOKEN = "token-of-the-feed"


def reso_feed(server: Receiver, *answers: Answer, **values: Any) -> Feed:
    server.set_answers(PATH, *answers)
    return make_feed(url=server.url(PATH), token=TOKEN, **values)


def queries(server: Receiver) -> list[dict[str, str]]:
    """The options of each request."""
    return [{name: value for name, (value,) in parse_qs(urlsplit(each.path).query).items()} for each in server.requests]


def keys(feed: Feed) -> set[str]:
    return set(Property.objects.filter(feed=feed).values_list("listing_key", flat=True))


@pytest.mark.both_databases
def test_it_works(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), record(2), following=f"{PATH}?$skiptoken=a%2Bb"), page_size=2)
    server.set_answers(f"{PATH}?$skiptoken=a%2Bb", page(record(3, Media=PHOTOS)))
    run = run_feed(feed=feed)
    assert (run.kind, run.status, run.created, run.read) == ("full", "finished", 3, 3)
    assert queries(server)[0] == {"$orderby": "ListingKey", "$count": "true", "$expand": "Media"}
    assert server.requests[1].path == f"{PATH}?$skiptoken=a%2Bb"
    assert {each.headers["authorization"] for each in server.requests} == {f"Bearer {TOKEN}"}
    feed.refresh_from_db()
    assert (feed.watermark, feed.leased_by) == (run.started_at, "")


def test_changes_are_read_from_the_watermark(server: Receiver, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    feed = reso_feed(server, page(record(1), record(2)))
    run_feed(feed=feed)
    run_feed(feed=feed, kind="keys", allow_removals=True)
    clock("2026-03-02 09:00")
    changed = record(2, ListPrice=5, ModificationTimestamp="2026-03-02T08:30:00Z")
    server.set_answers(PATH, page(changed, record(1, StandardStatus="Delete"), record(3)))
    run = run_feed(feed=feed)
    assert (run.kind, run.created, run.updated, run.removed) == ("update", 1, 1, 1)
    assert queries(server)[-1]["$filter"] == "ModificationTimestamp gt 2026-03-02T07:40:00Z"
    assert keys(feed) == {"RE-2", "RE-3"}


@pytest.mark.both_databases
def test_once_a_day_the_keys_are_compared(server: Receiver, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    feed = reso_feed(server, page(*(record(number) for number in range(10))))
    run_feed(feed=feed)
    server.set_answers(PATH, page(*({"ListingKey": f"RE-{number}"} for number in range(1, 10))))
    run = run_feed(feed=feed)
    assert (run.kind, run.status, run.removed, run.read) == ("keys", "finished", 1, 9)
    assert queries(server)[-1] == {"$orderby": "ListingKey", "$count": "true", "$select": "ListingKey"}
    assert (Property.objects.count(), SeenKey.objects.count()) == (9, 0)
    clock("2026-03-03 07:00")
    server.set_answers(PATH, page())
    assert run_feed(feed=feed).kind == "update"
    assert run_feed(feed=feed).kind == "update"
    clock("2026-03-03 09:00")
    assert run_feed(feed=feed).kind == "keys"


def test_the_brake(server: Receiver) -> None:
    feed = reso_feed(server, page(*(record(number) for number in range(10))))
    run_feed(feed=feed)
    server.set_answers(PATH, page({"ListingKey": "RE-1"}))
    run = run_feed(feed=feed, kind="keys")
    assert (run.status, run.removed, Property.objects.count()) == ("failed", 0, 10)
    assert "9 of 10 listings would be removed, which is more than 20 %" in run.error
    run = run_feed(feed=feed, kind="keys", allow_removals=True)
    assert (run.status, run.removed, keys(feed)) == ("finished", 9, {"RE-1"})


@pytest.mark.parametrize(
    "link",
    [
        "https://127.0.0.2:{port}/odata/Property?x",
        "http://127.0.0.1:{port}/odata/Property?x",
        "https://127.0.0.1:1/odata/Property?x",
        "//elsewhere.example/odata/Property",
        "https://user@127.0.0.1:{port}/x",
        "https://[",
        "\u00fc",
        "ftp:x",
    ],
)
def test_the_token_stays_with_its_host(server: Receiver, link: str) -> None:
    feed = reso_feed(server, page(record(1), following=link.format(port=server.port)))
    run = run_feed(feed=feed)
    assert run.status == "failed"
    assert "next page" in run.error
    assert server.contacts == 1
    feed.refresh_from_db()
    assert feed.watermark is None


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"value": 5}', b'{"value": [', b"[" * 100_000])
def test_other_answers_fail(server: Receiver, body: bytes) -> None:
    run = run_feed(feed=reso_feed(server, Answer(200, {}, body)))
    assert run.status == "failed"


def test_a_busy_server_pauses_the_run(server: Receiver, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    server.set_answers(f"{PATH}?$skiptoken=2", Answer(429, {"Retry-After": "90"}), page(record(2)))
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.resumes_at) == ("paused", 1, timezone.now() + timedelta(seconds=90))
    assert RUNNING.run_due().attempts == 0
    clock("2026-03-02 08:02")
    assert RUNNING.take(leases.never) is not None
    Feed.objects.update(leased_until=None)
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.failures, len(server.requests)) == ("finished", 2, 0, 3)


def test_a_server_that_stays_away_fails_the_run(server: Receiver) -> None:
    feed = reso_feed(server, Answer(502))
    for _ in range(10):
        assert run_feed(feed=feed).status == "paused"
    run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", "The server answered 502 Bad Gateway.")


def test_a_refusal_fails_the_run(server: Receiver) -> None:
    run = run_feed(feed=reso_feed(server, Answer(401)))
    assert (run.status, run.error) == ("failed", "The server answered 401 Unauthorized.")


def test_a_server_without_media(server: Receiver) -> None:
    feed = reso_feed(server, Answer(400), page(record(1)))
    assert run_feed(feed=feed).status == "finished"
    assert ["$expand" in query for query in queries(server)] == [True, False]
    feed.refresh_from_db()
    assert feed.expands_media is False


def test_without_media_photos_stay(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1, Media=PHOTOS)), page(record(1, ListPrice=1)))
    run_feed(feed=feed)
    run_feed(feed=feed, kind="full")
    assert PropertyPhoto.objects.count() == 2


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_killed_run_is_continued(server: Receiver, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    server.set_answers(f"{PATH}?$skiptoken=2", page(record(2), following="?$skiptoken=3"))
    server.set_answers(f"{PATH}?$skiptoken=3", page(record(3)))
    with monkeypatch.context() as patch:
        kill_at(patch, number)
        with pytest.raises(Killed):
            run_feed(feed=feed)
    assert (Property.objects.count(), FeedRun.objects.get().status) == (number - 1, "running")
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.read, keys(feed)) == ("finished", 3, 3, {"RE-1", "RE-2", "RE-3"})
    assert len(server.requests) == 4
    assert FeedRun.objects.count() == 1


def test_a_run_can_be_stopped(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    run_feed(feed=feed, stop=lambda: bool(server.requests))
    run = FeedRun.objects.get()
    assert run.status == "paused"
    assert stop_run(run=run)
    assert (run.status, run.finished_at is not None) == ("stopped", True)
    assert not stop_run(run=run)
    assert Property.objects.count() == 1


def test_a_stopped_run_stores_nothing_more(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    server.set_answers(f"{PATH}?$skiptoken=2", page(record(2)))
    run_feed(feed=feed, stop=lambda: len(server.requests) == 1)
    # Stopped while the second page is fetched.
    whole = pages._get

    def get(feed: Feed, url: str) -> Any:
        answer = whole(feed, url)
        stop_run(run=FeedRun.objects.get())
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "_get", get)
        run = run_feed(feed=feed)
    assert (run.status, keys(feed)) == ("stopped", {"RE-1"})


@pytest.mark.both_databases
def test_a_feed_is_imported_by_one_process(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1)))
    Feed.objects.update(leased_until=timezone.now() + timedelta(minutes=1), leased_by="another")
    with pytest.raises(Invalid, match="being imported"):
        run_feed(feed=feed)
    assert server.requests == []


@pytest.mark.both_databases
def test_a_lost_lease_stores_nothing(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1)))
    whole = pages._get

    def get(feed: Feed, url: str) -> Any:
        answer = whole(feed, url)
        Feed.objects.update(leased_by="another")
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "_get", get)
        run_feed(feed=feed)
    assert not Property.objects.exists()


def test_the_worker_runs_what_is_due(server: Receiver, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    reso_feed(server, page(record(1)))
    reso_feed(server, page(record(1)), enabled=False)
    assert RUNNING.run_due().attempts == 2
    assert list(FeedRun.objects.order_by("pk").values_list("kind", flat=True)) == ["full", "keys"]
    assert RUNNING.run_due().attempts == 0
    clock("2026-03-02 09:00")
    assert RUNNING.run_due().attempts == 1


def test_an_unexpected_error_is_tried_again(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = reso_feed(server, page(record(1)))

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr("commerce.real_estate.services.pages.store_batch", broken)
    run = run_feed(feed=feed)
    assert (run.status, run.error) == ("paused", "An unexpected error occurred: RuntimeError.")


def test_another_address_stops_an_open_run(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    run = run_feed(feed=feed, stop=lambda: bool(server.requests))
    assert run.status == "paused"
    save_feed(feed=feed, values={"url": "https://elsewhere.example/odata", "token": "new"})
    run.refresh_from_db()
    assert (run.status, run.next_link) == ("stopped", "")


def test_a_stored_link_to_another_host_is_not_followed(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=2"))
    run_feed(feed=feed, stop=lambda: bool(server.requests))
    FeedRun.objects.update(next_link="https://elsewhere.example/odata")
    assert run_feed(feed=feed).status == "failed"
    assert server.contacts == 1


def test_another_host_forgets_the_token(server: Receiver) -> None:
    feed = reso_feed(server, page())
    save_feed(feed=feed, values={"name": "Renamed"})
    assert Feed.objects.get().token == TOKEN
    save_feed(feed=feed, values={"url": "https://elsewhere.example/odata"})
    assert Feed.objects.get().token == ""


@pytest.mark.both_databases
def test_pages_that_lead_in_a_circle_end_the_run(server: Receiver) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=a"))
    server.set_answers(f"{PATH}?$skiptoken=a", page(record(2), following="?$skiptoken=b"))
    server.set_answers(f"{PATH}?$skiptoken=b", page(record(3), following="?$skiptoken=a"))
    # Also where the process has begun anew meanwhile.
    wanted = iter((False, True) * 3)
    for _ in range(3):
        assert run_feed(feed=feed, stop=lambda: next(wanted)).status == "paused"
    run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", "The pages lead in a circle: the next one was read already.")
    assert (len(server.requests), keys(feed)) == (3, {"RE-1", "RE-2", "RE-3"})
    assert not SeenKey.objects.exists()
    # The next run reads them once more.
    assert (run_feed(feed=feed).error, len(server.requests)) == (run.error, 6)


def test_keys_in_a_circle_remove_nothing(server: Receiver) -> None:
    feed = reso_feed(server, page(*(record(number) for number in range(10))))
    run_feed(feed=feed)
    server.set_answers(PATH, page({"ListingKey": "RE-1"}, following="?$skiptoken=a"))
    server.set_answers(f"{PATH}?$skiptoken=a", page({"ListingKey": "RE-2"}, following="?$skiptoken=a&x"))
    server.set_answers(f"{PATH}?$skiptoken=a&x", page(following="?$skiptoken=a"))
    run = run_feed(feed=feed, kind="keys", allow_removals=True)
    assert (run.status, run.error, run.removed) == ("failed", "The pages lead in a circle: the next one was read already.", 0)


def test_pages_that_never_end(server: Receiver, monkeypatch: pytest.MonkeyPatch, clock: Callable[[str], None]) -> None:
    feed = reso_feed(server, page(record(1), following="?$skiptoken=1"))
    for number in range(1, 6):
        server.set_answers(f"{PATH}?$skiptoken={number}", page(record(number), following=f"?$skiptoken={number + 1}"))
    monkeypatch.setattr(pages, "MAX_PAGES", 4)
    run = run_feed(feed=feed)
    assert (run.status, run.error, run.position) == ("failed", "The pages do not end: 4 have been read.", 4)
    clock("2026-03-02 08:00")
    assert run_feed(feed=feed, stop=lambda: len(server.requests) == 5).status == "paused"
    clock("2026-03-05 08:01")
    run = run_feed(feed=feed)
    assert (run.status, run.error, run.position) == ("failed", "The pages could not be read in 3 days.", 1)


@pytest.mark.both_databases
def test_feeds_take_turns(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "TURN_SECONDS", 0)
    feed, order = reso_feed(server, page(record(1), following="?$skiptoken=1")), []
    for number in range(1, 4):
        following = f"?$skiptoken={number + 1}" if number < 3 else ""
        server.set_answers(f"{PATH}?$skiptoken={number}", page(record(number), following=following))
    others = [make_feed(), make_feed()]
    for other in others:
        upload_file(feed=other, file=BytesIO(lines(*(record(number) for number in range(4)))), name="listings.json")
    monkeypatch.setattr("commerce.real_estate.services.reading.BATCH_ROWS", 2)
    Feed.objects.filter(pk=feed.pk).update(next_run_at=None)
    while task := RUNNING.take(leases.never):
        order.append(Feed.objects.exclude(leased_by="").get())
        task()
    # Alone, the first one goes on for longer; its second run compares the keys.
    assert [[feed, *others].index(each) for each in order] == [0, 1, 2, 0, 1, 2, 0, 0]
    assert set(FeedRun.objects.values_list("status", flat=True)) == {"finished"}
    assert Property.objects.count() == 4 + 4 + 3


def test_a_long_run_goes_on_while_nobody_waits(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "TURN_SECONDS", 0)
    reso_feed(server, page(record(1), following="?$skiptoken=1"))
    server.set_answers(f"{PATH}?$skiptoken=1", page(record(2), following="?$skiptoken=2"))
    server.set_answers(f"{PATH}?$skiptoken=2", page(record(3)))
    task = RUNNING.take(leases.never)
    assert task is not None
    task()
    assert (FeedRun.objects.get().status, Property.objects.count()) == ("finished", 3)


def largest_transactions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records each transaction stores."""
    whole, sizes = batches.store, []

    def store(feed: Feed, records: Any) -> Any:
        sizes.append(len(records))
        return whole(feed, records)

    monkeypatch.setattr(batches, "store", store)
    return sizes


@pytest.mark.both_databases
def test_a_page_is_stored_in_parts(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_ROWS", 3)
    feed = reso_feed(server, page(*(record(number) for number in range(7)), record(7, ListPrice="?")))
    with monkeypatch.context() as patch:
        kill_at(patch, 3)
        with pytest.raises(Killed):
            run_feed(feed=feed)
    # Its first parts stay, and others could write in between.
    run = FeedRun.objects.get()
    assert (Property.objects.count(), run.status, run.created, run.read, run.position) == (6, "running", 6, 0, 0)
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.read, run.skipped, run.unchanged) == ("finished", 7, 8, 1, 6)
    assert (run.problems["total"], run.failures, len(server.requests)) == (1, 0, 2)
    sizes = largest_transactions(monkeypatch)
    changed = [record(number, ListPrice=5) for number in range(7)]
    server.set_answers(PATH, page(*changed))
    run = run_feed(feed=feed, kind="full")
    assert (run.updated, run.unchanged, sizes) == (7, 0, [3, 3, 1])


def test_a_page_that_ends_its_process_in_the_middle_is_given_up(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_ROWS", 2)
    feed = reso_feed(server, page(*(record(number) for number in range(3))))
    for _ in range(11):
        with monkeypatch.context() as patch:
            kill_at(patch, 2)
            with pytest.raises(Killed):
                run_feed(feed=feed)
    assert run_feed(feed=feed).error == "Too many attempts were interrupted."


def test_keys_are_remembered_in_parts(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = reso_feed(server, page(*(record(number) for number in range(10))))
    run_feed(feed=feed)
    monkeypatch.setattr(batches, "BATCH_ROWS", 3)
    server.set_answers(PATH, page(*({"ListingKey": f"RE-{number}"} for number in range(9)), {}))
    with monkeypatch.context() as patch:
        kill_at(patch, 3)
        with pytest.raises(Killed):
            run_feed(feed=feed, kind="keys")
    assert SeenKey.objects.count() == 6
    run = run_feed(feed=feed)
    assert (run.kind, run.status, run.read, run.removed) == ("keys", "failed", 10, 0)
    assert (run.error, run.skipped, run.unchanged) == ("1 records have no key. No listing was removed.", 1, 9)
    server.set_answers(PATH, page(*({"ListingKey": f"RE-{number}"} for number in range(9))))
    assert run_feed(feed=feed, kind="keys").removed == 1


@pytest.mark.both_databases
def test_a_record_that_the_database_refuses_is_skipped(server: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = batches.store

    def store(feed: Feed, records: Any) -> Any:
        done = whole(feed, records)
        if any(each.key in {"RE-2", "RE-5"} for each in records):
            raise DataError("secret")
        return done

    monkeypatch.setattr(batches, "store", store)
    feed = reso_feed(server, page(*(record(number) for number in range(7))))
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.skipped, run.read) == ("finished", 5, 2, 7)
    named = [{"key": key, "message": "The listing can't be stored."} for key in ("RE-2", "RE-5")]
    assert run.problems == {"total": 2, "named": named}
    assert keys(feed) == {"RE-0", "RE-1", "RE-3", "RE-4", "RE-6"}
    run = import_records(make_feed(), *(record(number) for number in range(7)), is_complete=True)
    assert (run.status, run.created, run.skipped) == ("finished", 5, 2)
