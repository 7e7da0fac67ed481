"""Feeds in the admin: the form with its token, buttons, uploads, imports and their problems, and the cards of the home."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from commerce.real_estate.admin import cards
from commerce.real_estate.models import Feed, FeedRun, Property
from commerce.real_estate.services import queue_run, run_feed, stop_run
from commerce.real_estate.services.running import RUNNING
from commerce.real_estate.types.listings import BRAKE
from tests import people

from .builders import import_records, lines, make_feed, record

FEEDS = "/admin/real-estate/feeds/"
IMPORTS = "/admin/real-estate/imports/"
URL = "https://api.example.com/odata/Property"
TOKEN = "token-of-the-provider-4711"


def posted(**changes: Any) -> dict[str, Any]:
    """The fields of a feed's form."""
    return {
        "name": "Valley MLS",
        "kind": "reso",
        "url": URL,
        "new_token": TOKEN,
        "enabled": "on",
        "interval_minutes": "60",
        "page_size": "1000",
        "currency": "USD",
        "country": "US",
        "copies_photos": "on",
        "photo_license": "",
        **changes,
    }


def reso(**values: Any) -> Feed:
    return make_feed(url=URL, token=TOKEN, **values)


def braked(feed: Feed, *, kind: str = "keys", **values: Any) -> FeedRun:
    """A run that has stopped at the brake."""
    now = timezone.now()
    error = f"9 of 10 listings would be removed, which is more than 20 %. {BRAKE} Check the feed."
    state = {"status": "failed", "started_at": now, "finished_at": now, "error": error, **values}
    return FeedRun.objects.create(feed=feed, kind=kind, **state)


def offered(client: Client, feed: Feed) -> set[str]:
    return {each["transition"].name for each in client.get(f"{FEEDS}inspect/{feed.pk}/").context["transitions"]}


def press(client: Client, button: str, feed: Feed) -> str:
    answer = client.post(f"{FEEDS}{button}/{feed.pk}/", follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def upload(client: Client, feed: Feed, content: bytes, name: str = "listings.json", **values: str) -> Any:
    return client.post(f"{FEEDS}upload/{feed.pk}/", {"file": SimpleUploadedFile(name, content), **values}, follow=True)


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    answer = admin_client.post(f"{FEEDS}new/", posted())
    assert answer.status_code == 302, answer.context["form"].errors
    feed = Feed.objects.get()
    assert (feed.name, feed.kind, feed.url, feed.token, feed.currency) == ("Valley MLS", "reso", URL, TOKEN, "usd")
    assert (feed.copies_photos, feed.shows_coming_soon, feed.enabled) == (True, False, True)
    page = admin_client.get(f"{FEEDS}inspect/{feed.pk}/").content.decode()
    for words in ("RESO Web API", URL, "Stored", "No import yet", "has not been imported yet"):
        assert words in page, words
    changed = posted(name="Valley", interval_minutes="15", new_token="", copies_photos="", photo_license="Shown by permission")
    assert admin_client.post(f"{FEEDS}edit/{feed.pk}/", changed).status_code == 302
    feed.refresh_from_db()
    assert (feed.name, feed.interval_minutes, feed.token) == ("Valley", 15, TOKEN)
    assert (feed.copies_photos, feed.photo_license) == (False, "Shown by permission")


def test_the_token_is_in_no_page(admin_client: Client) -> None:
    feed = reso()
    form = admin_client.get(f"{FEEDS}edit/{feed.pk}/").content.decode()
    assert "A token is stored. Enter another one to replace it." in form
    refused = admin_client.post(f"{FEEDS}edit/{feed.pk}/", posted(name="", new_token="another-token"))
    assert refused.status_code == 200
    history = admin_client.get(f"{FEEDS}history/{feed.pk}/").content.decode()
    pages = [admin_client.get(f"{FEEDS}{part}").content.decode() for part in ("", f"inspect/{feed.pk}/", f"delete/{feed.pk}/")]
    for page in (form, refused.content.decode(), history, *pages):
        assert TOKEN not in page
        assert "another-token" not in page


def test_a_token_is_replaced_or_deleted(admin_client: Client) -> None:
    feed = reso()
    admin_client.post(f"{FEEDS}edit/{feed.pk}/", posted(new_token="another-token"))
    feed.refresh_from_db()
    assert feed.token == "another-token"
    admin_client.post(f"{FEEDS}edit/{feed.pk}/", posted(new_token="", clear_token="on"))
    feed.refresh_from_db()
    assert feed.token == ""
    form = admin_client.get(f"{FEEDS}edit/{feed.pk}/")
    assert "clear_token" not in form.context["form"].fields
    assert "A token is stored" not in form.content.decode()


def test_hostile_values_are_refused(admin_client: Client) -> None:
    for changes in [
        {"name": "a\0b"},
        {"url": "http://api.example.com/odata"},
        {"url": "https://user:pass@api.example.com/odata"},
        {"url": "javascript:alert(1)"},
        {"new_token": "a\r\nHost: evil"},
        {"interval_minutes": str(10**30)},
        {"currency": "dollars"},
        {"country": "XX"},
    ]:
        answer = admin_client.post(f"{FEEDS}new/", posted(**changes))
        assert answer.status_code == 200
        assert answer.context["form"].errors
        assert not Feed.objects.exists()


@pytest.mark.both_databases
def test_names_are_unique(admin_client: Client) -> None:
    reso(name="Valley MLS")
    assert "name" in admin_client.post(f"{FEEDS}new/", posted()).context["form"].errors


def test_buttons_depend_on_the_state(admin_client: Client) -> None:
    feed = reso()
    assert offered(admin_client, feed) == {"run"}
    assert "The import is queued" in press(admin_client, "run", feed)
    run = FeedRun.objects.get()
    assert (run.kind, run.status) == ("full", "paused")
    assert run.resumes_at is not None
    assert run.resumes_at <= timezone.now()
    assert run.user is not None
    assert offered(admin_client, feed) == {"run", "stop"}
    FeedRun.objects.update(status="running", resumes_at=None)
    assert offered(admin_client, feed) == {"stop"}
    assert "imported already" in press(admin_client, "run", feed)
    assert "The import is stopped" in press(admin_client, "stop", feed)
    assert "No import is running." in press(admin_client, "stop", feed)
    assert FeedRun.objects.get().status == "stopped"
    actions = ModelLogEntry.objects.filter(action__startswith="real_estate.").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["real_estate.queue_run", "real_estate.stop_run"]
    assert "An import was requested" in admin_client.get(f"{FEEDS}inspect/{feed.pk}/").content.decode()


def test_a_disabled_feed_is_not_run(admin_client: Client) -> None:
    feed = reso(enabled=False)
    assert offered(admin_client, feed) == set()
    press(admin_client, "run", feed)
    with pytest.raises(Invalid):
        queue_run(feed=feed)
    assert not FeedRun.objects.exists()


def test_running_a_paused_import_continues_it() -> None:
    feed, later = reso(), timezone.now() + timedelta(hours=1)
    run = FeedRun.objects.create(feed=feed, kind="update", status="paused", started_at=timezone.now(), resumes_at=later)
    assert queue_run(feed=feed) is True
    assert RUNNING.take(lambda: False) is not None
    run.refresh_from_db()
    assert run.resumes_at is not None
    assert run.resumes_at < later
    assert FeedRun.objects.count() == 1


def test_removals_are_confirmed(admin_client: Client) -> None:
    feed = reso()
    braked(feed)
    assert offered(admin_client, feed) == {"run", "confirm_removals"}
    assert "9 of 10 listings would be removed" in admin_client.get(f"{FEEDS}confirm-removals/{feed.pk}/").content.decode()
    assert "The keys are compared again" in press(admin_client, "confirm-removals", feed)
    run = FeedRun.objects.order_by("-pk")[0]
    assert (run.kind, run.status, run.allows_removals) == ("keys", "paused", True)
    assert offered(admin_client, feed) == {"run", "stop"}
    FeedRun.objects.filter(pk=run.pk).update(status="finished", finished_at=timezone.now())
    assert offered(admin_client, feed) == {"run"}
    assert "nothing to confirm" in press(admin_client, "confirm-removals", feed)


def test_a_later_import_of_changes_does_not_answer_the_question(admin_client: Client) -> None:
    feed = reso()
    braked(feed, started_at=timezone.now() - timedelta(hours=2))
    now = timezone.now()
    FeedRun.objects.create(feed=feed, kind="update", status="finished", started_at=now, finished_at=now)
    assert "confirm_removals" in offered(admin_client, feed)


def test_a_file_is_imported(admin_client: Client) -> None:
    feed = make_feed()
    assert offered(admin_client, feed) == {"upload"}
    page = upload(admin_client, feed, lines(record(1), record(2), record(3, ListPrice=None)))
    assert "The file is queued" in page.content.decode()
    assert page.redirect_chain[-1][0].startswith(IMPORTS)
    run = FeedRun.objects.get()
    assert (run.status, run.filename, run.is_complete, run.allows_removals) == ("paused", "listings.json", False, False)
    assert "upload" not in offered(admin_client, feed)
    run_feed(feed=feed)
    assert Property.objects.count() == 2
    shown = admin_client.get(f"{IMPORTS}inspect/{run.pk}/").content.decode()
    for words in ("listings.json", "Finished", "RE-3", "The ListPrice is missing."):
        assert words in shown, words
    page = admin_client.get(f"{FEEDS}inspect/{feed.pk}/").content.decode()
    assert "The ListPrice is missing." in page
    assert f"{IMPORTS}inspect/{run.pk}/" in page


def test_a_complete_file_stops_at_the_brake_until_it_is_confirmed(admin_client: Client) -> None:
    feed = make_feed()
    import_records(feed, *(record(number) for number in range(1, 11)))
    upload(admin_client, feed, lines(record(1)), is_complete="on")
    run_feed(feed=feed)
    page = admin_client.get(f"{FEEDS}inspect/{feed.pk}/").content.decode()
    assert "9 of 10 listings would be removed" in page
    assert "import the complete file again and tick" in page
    assert Property.objects.count() == 10
    upload(admin_client, feed, lines(record(1)), is_complete="on", allow_removals="on")
    run_feed(feed=feed)
    assert Property.objects.count() == 1
    assert "would be removed, which" not in admin_client.get(FEEDS).content.decode()


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "../../evil.json", "a\\b.csv", "ü\u202e.json"])
def test_names_of_files_are_made_harmless(name: str, admin_client: Client) -> None:
    upload(admin_client, make_feed(), lines(record(1)), name)
    run = FeedRun.objects.get()
    assert "/" not in run.filename
    assert len(run.filename) <= 200
    stop_run(run=run)


def test_what_is_no_file_is_refused(admin_client: Client) -> None:
    feed = make_feed()
    assert admin_client.post(f"{FEEDS}upload/{feed.pk}/", {"file": "text"}).status_code == 422
    assert upload(admin_client, feed, b"").status_code == 422
    assert upload(admin_client, reso(), lines(record(1))).status_code == 200
    assert admin_client.post(f"{FEEDS}upload/999999/").status_code == 404
    assert not FeedRun.objects.exists()


def test_a_feed_is_deleted_with_its_listings(admin_client: Client) -> None:
    feed = make_feed()
    assert "It has no listings." in admin_client.get(f"{FEEDS}delete/{feed.pk}/").content.decode()
    import_records(feed, record(1), record(2))
    assert "Its 2 listings are deleted too" in admin_client.get(f"{FEEDS}delete/{feed.pk}/").content.decode()
    assert admin_client.post(f"{FEEDS}delete/{feed.pk}/").status_code == 302
    assert not Property.objects.exists()


@pytest.mark.both_databases
def test_feeds_and_imports_are_filtered(admin_client: Client) -> None:
    good, failing, stopped, off = reso(), reso(), reso(), reso(enabled=False)
    now = timezone.now()
    for feed, status in ((good, "finished"), (failing, "failed"), (off, "failed")):
        FeedRun.objects.create(feed=feed, kind="full", status=status, started_at=now, finished_at=now, error="Not reachable.")
    braked(stopped)

    def found(address: str, query: str) -> set[Any]:
        return set(admin_client.get(f"{address}?{query}").context["object_list"])

    assert found(FEEDS, "state=failing") == {failing}
    assert found(FEEDS, "state=confirm") == {stopped}
    assert found(FEEDS, "state=disabled") == {off}
    assert found(FEEDS, "state=enabled") == {good, failing, stopped}
    assert found(FEEDS, "kind=file") == set()
    assert found(FEEDS, "q=nothing") == set()
    assert {run.feed for run in found(IMPORTS, "status=failed")} == {failing, stopped, off}
    assert {run.feed for run in found(IMPORTS, f"feed={good.pk}")} == {good}
    rows = b"".join(admin_client.get(f"{IMPORTS}?export=csv&kind=keys")).decode().splitlines()  # type: ignore[call-overload]
    assert rows[0].startswith("Feed,Kind,Status,Started,Finished,Read,Created")
    assert len(rows) == 2


def test_the_home_names_feeds_that_need_attention(django_assert_num_queries: Any) -> None:
    request = people.request_by(people.alice())
    failing, stopped = reso(), reso()
    now = timezone.now()
    FeedRun.objects.create(feed=failing, kind="full", status="failed", started_at=now, finished_at=now)
    braked(stopped)
    with django_assert_num_queries(2):
        assert [card.count for card in cards.feeds(request)] == [1, 1]
    assert cards.add_feed(request).done
