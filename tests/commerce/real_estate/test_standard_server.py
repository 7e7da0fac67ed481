"""Feeds of a server that does what the RESO Web API and OData say."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from commerce.real_estate.models import Feed, FeedRun, Property
from commerce.real_estate.services import run_feed, save_feed
from tests.webhooks.receiver import Receiver

from .builders import make_feed, record
from .reso_server import CLIENT, SECRET, TOKEN_PATH, ResoServer, too_busy


@pytest.fixture
def reso(receiver: Receiver) -> ResoServer:
    return ResoServer(receiver)


def records(count: int, **changes: Any) -> list[dict[str, Any]]:
    return [record(number, **changes) for number in range(count)]


def oauth_feed(reso: ResoServer, **values: Any) -> Feed:
    return make_feed(url=reso.url, token_url=reso.token_url, client_id=CLIENT, client_secret=SECRET, **values)


def adds_up(run: FeedRun) -> bool:
    return run.read == run.created + run.updated + run.unchanged + run.removed + run.skipped


@pytest.mark.both_databases
def test_every_page_comes_however_small_it_is(reso: ResoServer) -> None:
    reso.records = records(1500)
    feed = make_feed(url=reso.url, page_size=1000)
    run = run_feed(feed=feed)
    assert (run.status, run.read, run.created, run.counted) == ("finished", 1500, 1500, 1500)
    assert all("$top" not in each for each in reso.queries)
    assert {each.headers["prefer"] for each in reso.requests} == {"odata.maxpagesize=1000"}
    keys = run_feed(feed=feed)
    assert (keys.kind, keys.status, keys.read, keys.unchanged, keys.removed) == ("keys", "finished", 1500, 1500, 0)
    assert Property.objects.count() == 1500


@pytest.mark.both_databases
def test_a_count_that_differs_stops_removals(reso: ResoServer, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    reso.records = records(20)
    feed = make_feed(url=reso.url)
    run_feed(feed=feed)
    reso.records, reso.miscounted_by = reso.records[:18], 2
    run = run_feed(feed=feed, kind="keys", allow_removals=True)
    assert (run.status, run.removed, Property.objects.count()) == ("failed", 0, 20)
    assert run.error == "The server says that it has 20 listings, but 18 were read. No listing was removed."
    # All listings: nothing is marked as read.
    save_feed(feed=feed, values={"country": "CA"})
    run = run_feed(feed=feed)
    feed.refresh_from_db()
    assert (run.kind, run.status, run.unchanged + run.updated, feed.watermark) == ("full", "failed", 18, None)
    reso.miscounted_by = 0
    assert run_feed(feed=feed, kind="full").status == "finished"
    assert run_feed(feed=feed, kind="keys").removed == 2


def test_few_that_come_and_go_meanwhile_are_reported(reso: ResoServer) -> None:
    reso.records, reso.miscounted_by = records(150), 1
    run = run_feed(feed=make_feed(url=reso.url))
    assert (run.status, run.created, run.skipped) == ("finished", 150, 0)
    message = "The server says that it has 151 listings, but 150 were read."
    assert run.problems["named"] == [{"key": "", "message": message}]


def test_a_filter_of_the_address_is_joined(reso: ResoServer, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    reso.records = [*records(3), *(record(number, City="Boston") for number in range(3, 6))]
    feed = make_feed(url=f"{reso.url}?$filter=City eq 'Boston'&$top=1&$orderby=ListPrice&dataset=a%20b".replace(" ", "%20"))
    assert run_feed(feed=feed).created == 3
    assert run_feed(feed=feed).unchanged == 3
    clock("2026-03-02 09:00")
    changed = {"ModificationTimestamp": "2026-03-02T08:30:00Z", "ListPrice": 7}
    reso.records = [record(1, **changed), record(4, City="Boston", **changed)]
    run = run_feed(feed=feed)
    assert (run.kind, run.status, run.updated, run.read) == ("update", "finished", 1, 1)
    wanted = "(City eq 'Boston') and (ModificationTimestamp gt 2026-03-02T07:40:00Z)"
    assert reso.queries[-1] == {
        "dataset": "a b",
        "$orderby": "ModificationTimestamp",
        "$count": "true",
        "$expand": "Media",
        "$filter": wanted,
    }


@pytest.mark.both_databases
def test_numeric_keys(reso: ResoServer) -> None:
    reso.keys = "ListingKeyNumeric"
    reso.records = [record(number, ListingKey=None, ListingKeyNumeric=20240000 + number) for number in range(10)]
    reso.records[3]["ListingKeyNumeric"] = 20240003.0
    feed = make_feed(url=reso.url)
    assert run_feed(feed=feed).created == 10
    assert Property.objects.filter(listing_key="20240003").exists()
    feed.refresh_from_db()
    assert not feed.has_text_keys
    gone = reso.records.pop()
    run = run_feed(feed=feed)
    assert (run.kind, run.status, run.removed) == ("keys", "finished", 1)
    assert not Property.objects.filter(listing_key=gone["ListingKeyNumeric"]).exists()


def test_a_server_without_counts(reso: ResoServer) -> None:
    reso.counts = False
    reso.records = records(3)
    feed = make_feed(url=reso.url)
    run = run_feed(feed=feed)
    assert (run.created, run.counted) == (3, None)
    assert run_feed(feed=feed).unchanged == 3
    # The options are left out one after the other, and then remembered.
    assert [each.get("$count") for each in reso.queries] == ["true"] * 4 + [None] * 2


@pytest.mark.both_databases
def test_a_token_of_client_credentials_is_kept_and_renewed(reso: ResoServer, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    reso.tokens, reso.records = set(), records(3)
    feed = oauth_feed(reso, scope="api")
    assert run_feed(feed=feed).created == 3
    assert run_feed(feed=feed).unchanged == 3
    assert len(reso.receiver.at(TOKEN_PATH)) == 1
    assert "scope=api" in reso.receiver.at(TOKEN_PATH)[0].body.decode()
    # It has ended.
    clock("2026-03-02 09:00")
    assert run_feed(feed=feed).status == "finished"
    assert len(reso.receiver.at(TOKEN_PATH)) == 2
    # The server has withdrawn it before its end.
    reso.tokens = set()
    assert run_feed(feed=feed).status == "finished"
    assert len(reso.receiver.at(TOKEN_PATH)) == 3
    feed.refresh_from_db()
    assert feed.access_token == "token-3"
    save_feed(feed=feed, values={"client_secret": "another"})
    assert (feed.access_token, feed.client_secret) == ("", "another")
    run = run_feed(feed=feed)
    assert (run.status, run.error) == ("failed", "There is no token: The server answered 401 Unauthorized.")
    save_feed(feed=feed, values={"token_url": "https://elsewhere.example/token"})
    assert feed.client_secret == ""


def test_credentials_in_a_header(reso: ResoServer) -> None:
    reso.tokens, reso.records, reso.takes_basic_only, reso.expires_in = set(), records(1), True, None
    feed = oauth_feed(reso)
    assert run_feed(feed=feed).created == 1
    feed.refresh_from_db()
    assert feed.access_token_ends_at is None


def test_a_busy_server_is_asked_when_it_says(reso: ResoServer, clock: Callable[[str], None]) -> None:
    clock("2026-03-02 08:00")
    reso.records, reso.errors = records(3), [too_busy(90)]
    feed = make_feed(url=reso.url)
    run = run_feed(feed=feed)
    assert run.resumes_at is not None
    assert (run.status, run.resumes_at - run.started_at) == ("paused", timedelta(seconds=90))
    run = run_feed(feed=feed)
    assert (run.status, run.created, adds_up(run)) == ("finished", 3, True)


def test_the_client_secret_is_never_shown(reso: ResoServer, admin_client: Client) -> None:
    feed = oauth_feed(reso)
    for path in ("", "edit/"):
        page = admin_client.get(f"/admin/real-estate/feeds/{path or 'inspect/'}{feed.pk}/").content.decode()
        assert SECRET not in page
        assert CLIENT in page
