"""Feeds: what may be entered, and the command that imports them."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from cms_api.core.errors import Invalid
from commerce.real_estate.models import Feed, FeedRun, Property
from commerce.real_estate.models.feeds import run_files
from commerce.real_estate.services import delete_feed, save_feed, upload_file
from commerce.real_estate.services.housekeeping import FEED_RUNS_KEPT, clear_runs
from commerce.real_estate.services.running import RUNNING

from .builders import import_records, lines, make_feed, record


@pytest.mark.both_databases
def test_it_works() -> None:
    feed = make_feed(url="https://mls.example.com/odata/Property", token="abc", name="Vermont MLS")
    assert (feed.kind, feed.currency, feed.country, feed.token) == ("reso", "usd", "US", "abc")
    save_feed(feed=feed, values={"interval_minutes": 30, "currency": "CAD", "country": "Canada"})
    assert (feed.interval_minutes, feed.currency, feed.country, feed.token) == (30, "cad", "CA", "abc")
    save_feed(feed=feed, values={"clear_token": True})
    assert feed.token == ""


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\0"}, "name"),
        ({"name": "Taken"}, "name"),
        ({"kind": "ftp"}, "kind"),
        ({"url": ""}, "url"),
        ({"url": "http://mls.example.com/"}, "url"),
        ({"url": "https://user:pass@mls.example.com/"}, "url"),
        ({"url": 7}, "url"),
        ({"interval_minutes": 1}, "interval_minutes"),
        ({"page_size": 10**9}, "page_size"),
        ({"page_size": "many"}, "page_size"),
        ({"currency": "dollars"}, "currency"),
        ({"country": "Atlantis"}, "country"),
        ({"token": "\u00fc"}, "token"),
        ({"token": "x" * 3000}, "token"),
        ({"copies_photos": False}, "photo_license"),
    ],
)
def test_refusals(changes: dict[str, Any], name: str) -> None:
    make_feed(name="Taken")
    with pytest.raises(Invalid) as refusal:
        make_feed(**{"url": "https://mls.example.com/odata/Property", **changes})
    assert list(refusal.value.errors) == [name]
    assert Feed.objects.count() == 1


def test_another_currency_reads_all_again() -> None:
    feed = make_feed(url="https://mls.example.com/odata/Property")
    Feed.objects.update(watermark=feed.created_at)
    feed.refresh_from_db()
    save_feed(feed=feed, values={"name": "Renamed"})
    assert feed.watermark is not None
    save_feed(feed=feed, values={"currency": "cad"})
    assert feed.watermark is None


def test_an_uploaded_file_is_imported_by_the_worker(
    tmp_path: Path, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    feed = make_feed()
    with (tmp_path / "x").open("w+b") as file:
        file.write(lines(record(1)))
        run = upload_file(feed=feed, file=file, name="../../listings.json")
    assert (run.status, run.filename) == ("paused", "listings.json")
    with django_capture_on_commit_callbacks(execute=True):
        assert RUNNING.run_due().attempts == 1
    assert Property.objects.count() == 1
    assert not run_files().exists(run.file.name)


def test_a_feed_of_the_web_api_takes_no_files() -> None:
    with pytest.raises(Invalid):
        import_records(make_feed(url="https://mls.example.com/"), record(1))


def test_the_command(tmp_path: Path) -> None:
    make_feed(name="Uploads")
    path, out = tmp_path / "listings.json", StringIO()
    path.write_bytes(lines(record(1), record(2, ListPrice="?")))
    call_command("import_properties", "Uploads", str(path), stdout=out)
    assert out.getvalue().splitlines() == [
        "2 read, 1 created, 0 updated, 0 unchanged, 0 hidden, 0 removed, 1 skipped.",
        "RE-2: The ListPrice is no number.",
    ]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["Nothing"], "There is no feed"),
        (["Uploads"], "Upload one"),
        (["Uploads", "missing.json"], "No such file"),
        (["Uploads", "--complete"], "Only a file"),
        (["Uploads", "{file}"], "The file is empty."),
    ],
)
def test_the_command_fails(tmp_path: Path, arguments: list[str], error: str) -> None:
    make_feed(name="Uploads")
    path = tmp_path / "empty.json"
    path.write_bytes(b"")
    with pytest.raises(CommandError, match=error):
        call_command("import_properties", *(each.format(file=path) for each in arguments), stdout=StringIO())


def test_old_runs_are_deleted() -> None:
    feed = make_feed()
    old, new = import_records(feed, record(1)), import_records(feed, record(1))
    FeedRun.objects.filter(pk=old.pk).update(started_at=old.started_at - FEED_RUNS_KEPT)
    clear_runs()
    assert list(FeedRun.objects.all()) == [new]
    delete_feed(feed=feed)
    assert not FeedRun.objects.exists()
