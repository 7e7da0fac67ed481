"""Messages of pages, from the request to the reports."""

import json
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.services import limits, spool
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import set_setting, switch_feature

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"

pytestmark = pytest.mark.django_db


def send(client: Client, number: int = 2, *, agent: str = CHROME, address: str = "/", headers: Any = None, **message: Any) -> int:
    body = {"n": "view", "i": f"{number:x}", "u": f"{settings.BASE_URL}{address}", "r": "", "t": "Home", **message}
    sent = client.post("/visits", json.dumps(body), content_type="text/plain", headers={"user-agent": agent, **(headers or {})})
    return sent.status_code


@pytest.mark.both_databases
def test_a_view_is_stored_without_the_address(client: Client, analytics_on: None) -> None:
    assert send(client, address="/events/?utm_source=paper&secret=1", r="https://www.google.co.uk/") == 204
    assert not Event.objects.exists()
    assert ingest(at_once=True) == 1
    visit, event = Visit.objects.get(), Event.objects.get()
    assert (event.path, visit.source, visit.referrer, visit.device) == ("/events", "paper", "google.co.uk", "desktop")
    assert not list(spool.folder().iterdir())


@pytest.mark.parametrize(
    "headers",
    [{"dnt": "1"}, {"sec-gpc": "1"}, {"sec-purpose": "prefetch"}, {"user-agent": ""}, {"user-agent": "Googlebot/2.1"}],
)
def test_some_are_not_counted(client: Client, analytics_on: None, headers: dict[str, str]) -> None:
    assert send(client, headers=headers) == 204
    assert ingest(at_once=True) == 0


@pytest.mark.both_databases
def test_pages_of_other_hosts_are_not_counted(client: Client, analytics_on: None) -> None:
    assert send(client, u="https://evil.example/") == 204
    assert ingest(at_once=True) == 0


@pytest.mark.both_databases
def test_a_search_is_an_event_of_its_own(client: Client, analytics_on: None) -> None:
    send(client, address="/search?q=Open++Day", agent=PHONE)
    ingest(at_once=True)
    assert sorted(Event.objects.values_list("kind", "words")) == [("search", "open day"), ("view", "")]
    assert Visit.objects.get().device == "phone"


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"{}", b"\xff", b'{"n":"view","i":"2"}', b'{"n":"view","i":"\\ud800"}'),
        *(b'{"n":"goal","i":"2","u":"http://localhost:8000/"}', b'{"n":"view","i":"zz","u":"x"}', b'{"n":"view","i":"2","u":1}'),
        *(
            b'{"n":"time","i":"2","s":-1}',
            b'{"n":"time","i":"2","s":true}',
            b'{"n":"view","i":"ffffffffffffffff","u":"http://x/"}',
        ),
    ],
)
def test_hostile_messages_are_refused(client: Client, analytics_on: None, body: bytes) -> None:
    answer = client.post("/visits", body, content_type="text/plain", headers={"user-agent": CHROME})
    assert (answer.status_code, answer.headers["Content-Type"]) == (400, "application/json")
    assert set(answer.json()) == {"message"}
    assert ingest(at_once=True) == 0


@pytest.mark.parametrize("length", [9_000, 6 * 1024 * 1024])
def test_a_message_that_is_too_large_is_refused(client: Client, analytics_on: None, length: int) -> None:
    answer = client.post("/visits", b"x" * length, content_type="text/plain", headers={"user-agent": CHROME})
    assert (answer.status_code, answer.json()) == (413, {"message": "The request body is too large."})


@pytest.mark.parametrize("length", ["", "-1", "999999999999999999999999"])
def test_a_hostile_length_is_refused(client: Client, analytics_on: None, length: str) -> None:
    answer = client.generic("POST", "/visits", b"{}", content_type="text/plain", CONTENT_LENGTH=length)
    assert answer.status_code in {400, 413}


def test_a_full_disk_is_an_outage(client: Client, analytics_on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MAX_SPOOL_BYTES", -1)
    assert send(client) == 503


@pytest.mark.parametrize("address", ["203.0.113.7", "2001:db8::7"])
def test_many_messages_of_one_address_are_refused(client: Client, analytics_on: None, settings: Any, address: str) -> None:
    settings.ANALYTICS_RATE_PER_MINUTE = 20
    client.defaults["REMOTE_ADDR"] = address
    assert {send(client, number) for number in range(2, 42, 2)} == {204}
    refused = client.post("/visits", "{}", content_type="text/plain", headers={"user-agent": CHROME})
    assert (refused.status_code, refused.json()) == (429, {"message": "Too Many Attempts."})
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["X-RateLimit-Limit"] == "20"
    # An IPv6 network belongs to one visitor.
    client.defaults["REMOTE_ADDR"] = "2001:db8::8" if ":" in address else "203.0.113.8"
    assert send(client, 100) == (429 if ":" in address else 204)
    assert ingest(at_once=True) == (20 if ":" in address else 21)


@pytest.mark.both_databases
def test_an_ordinary_visitor_takes_no_statement(client: Client, analytics_on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    send(client)
    monkeypatch.setattr(limits, "spend", lambda *_: pytest.fail("The shared budget was charged."))
    assert {send(client, number) for number in range(4, 62, 2)} == {204}


@pytest.mark.parametrize("address", ["/\ud800", "/" + "x" * 3000, "/\0", "/%00?q=%00", "//[", "/?" + "a=1&" * 500])
def test_hostile_addresses_never_break_the_store(client: Client, analytics_on: None, address: str) -> None:
    assert send(client, address=address, t="\ud800" + "t" * 3000, r="http://[") in {204, 400}
    ingest(at_once=True)
    assert all(len(event.path) <= 500 for event in Event.objects.all())


def test_only_posts_are_taken(client: Client, analytics_on: None) -> None:
    answer = client.get("/visits")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_nothing_is_there_while_it_is_off(client: Client, db: None) -> None:
    unknown = client.post("/no-such-address", "{}", content_type="text/plain")
    assert send(client) == unknown.status_code
    assert b"visit.js" not in client.get("/search").content
    switch_feature(name="analytics", on=True)
    assert b"visit.js" in client.get("/search").content


def test_a_file_that_was_stored_before_the_process_died_is_not_stored_again(client: Client, analytics_on: None) -> None:
    send(client)
    (path,) = spool.take_files(at_once=True)
    content = path.read_bytes()
    assert ingest(at_once=True) == 1
    path.write_bytes(content)
    assert ingest(at_once=True) == 1
    assert Event.objects.count() == 1


@pytest.mark.both_databases
def test_a_change_of_a_setting_takes_effect_with_the_next_message(client: Client, analytics_on: None) -> None:
    assert send(client, 2, address="/internal") == 204
    set_setting(key="analytics.excluded_paths", value="/internal")
    assert send(client, 3, address="/internal") == 204
    ingest(at_once=True)
    assert list(Event.objects.values_list("uid", flat=True)) == [2]


def test_only_refused_messages_are_in_the_log(
    client: Client, analytics_on: None, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.LOG_REQUESTS = True
    assert send(client) == 204
    assert client.post("/visits", b"{}", content_type="text/plain").status_code == 400
    lines = [record.getMessage().partition(" in ")[0] for record in caplog.records if "/visits" in record.getMessage()]
    assert lines == ["POST /visits 400"]
