"""Files of other hosts: fetched from checked public addresses over https, within a limit of bytes and of time."""

import gzip
import threading
import tracemalloc
import zlib
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any

import pytest

from cms_api.outbound.addresses import as_https
from cms_api.outbound.fetching import MAX_REDIRECTS, Fetched, FetchError, fetch
from cms_api.outbound.retry_after import retry_after_seconds
from tests.webhooks.receiver import Answer, Authority, Receiver, receiving
from tests.webhooks.test_sending import names

PRIVATE = "The host resolves to a private or reserved address."
LARGEST = 64 * 1024


def get(url: str, **options: Any) -> Fetched:
    return fetch(url, **{"largest": LARGEST, **options})


def refusal(url: str, **options: Any) -> str:
    with pytest.raises(FetchError) as caught:
        get(url, **options)
    return str(caught.value)


def redirect(location: str, code: int = 302) -> Answer:
    return Answer(code, {"Location": location}, b"moved")


def test_it_works(receiver: Receiver) -> None:
    receiver.set_answers("/busy.ics", Answer(200, {"ETag": '"1"'}, b"BEGIN:VCALENDAR"))
    found = get(receiver.url("/busy.ics"), headers={"If-None-Match": '"0"'})
    assert (found.status, found.body, found.headers["etag"]) == (200, b"BEGIN:VCALENDAR", '"1"')
    (request,) = receiver.requests
    assert request.raw.startswith(b"GET /busy.ics HTTP/1.1\r\n")
    assert (request.headers["if-none-match"], request.headers["accept-encoding"]) == ('"0"', "gzip")
    assert (request.headers["host"], request.body) == (f"127.0.0.1:{receiver.port}", b"")


#: A frame of HTTP/2, and other answers that are no HTTP/1.
NOT_HTTP = (
    b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\r\n\r\n",
    b"HTTP/9.9\x00 200 x\r\n\r\n",
    b"HTTP/1.1 2\x000 x\r\n\r\n",
    b"HTTP/1.1 302 x\r\nContent-Length: 0\r\nLocation: https://a\x00b/\r\n\r\n",
)


@pytest.mark.parametrize("raw", NOT_HTTP)
def test_the_sentence_about_an_answer_can_be_stored_whatever_the_answer_was(receiver: Receiver, raw: bytes) -> None:
    receiver.set_answers("/busy.ics", Answer(raw=raw))
    said = refusal(receiver.url("/busy.ics"))
    assert said.isprintable()
    assert said


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 12:00:30", None),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("-1", None),
        ("9" * 10, None),
        ("soon", None),
        ("", None),
        ("Mon, 01 Jan 2029 00:00:00 +99999999999999999999", None),
        ("Mon, 01 Jan 20290000 00:00:00 GMT", None),
    ],
)
def test_retry_after(header: str, seconds: float | None) -> None:
    assert retry_after_seconds(header, datetime(2026, 11, 30, 12, tzinfo=UTC)) == seconds


def test_webcal_is_https(receiver: Receiver) -> None:
    assert get(receiver.url().replace("https://", "webcal://")).body == b"ok"
    assert as_https("WEBCAL://example.com/a") == "https://example.com/a"
    assert as_https("webcal:example.com") == "webcal:example.com"


def test_an_unchanged_file_has_no_body(receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(304, {"Content-Length": "0"}, b""))
    assert get(receiver.url(), headers={"If-None-Match": '"1"'}).status == 304


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://example.com/a.ics", "The url must begin with https://."),
        ("file:///etc/passwd", "The url must begin with https://."),
        ("", "The url field is required."),
        ("https://user:secret@example.com/", "The url must not contain credentials."),
        ("https://exa mple.com/", "The url is not a valid address."),
        ("https://example.com/\0", "The url is not a valid address."),
        ("webcal://localhost/a.ics", PRIVATE),
        ("https://127.0.0.1/", PRIVATE),
        ("https://169.254.169.254/latest/meta-data/", PRIVATE),
        ("https://[::ffff:10.0.0.1]/", PRIVATE),
    ],
)
def test_other_addresses_are_refused(url: str, sentence: str) -> None:
    assert refusal(url) == sentence


def test_a_name_of_a_private_address_is_refused(receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = []
    names(monkeypatch, calendar_example=["93.184.216.34,127.0.0.1"])
    assert refusal(receiver.url(host="calendar.example")) == PRIVATE
    assert receiver.contacts == 0


def test_an_unknown_host(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("https://nowhere.invalid/").startswith("The host could not be found: ")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirects_are_followed(receiver: Receiver, code: int) -> None:
    receiver.set_answers("/1", redirect("/2", code))
    receiver.set_answers("/2", redirect(receiver.url("/3").replace("https:", ""), code))
    receiver.set_answers("/3", redirect(receiver.url("/4").replace("https:", "webcal:"), code))
    receiver.set_answers("/4", Answer(body=b"here"))
    assert get(receiver.url("/1")).body == b"here"
    assert [request.path for request in receiver.requests] == ["/1", "/2", "/3", "/4"]


def test_but_not_for_ever(receiver: Receiver) -> None:
    receiver.set_answers("/hook", redirect("/hook"))
    assert refusal(receiver.url()) == "The address redirects too often."
    assert len(receiver.requests) == MAX_REDIRECTS + 1


@pytest.mark.parametrize(
    ("location", "sentence"),
    [
        ("https://127.0.0.1:{port}/", PRIVATE),
        ("//0x7f.1:{port}/", PRIVATE),
        ("https://localhost:{port}/", PRIVATE),
        ("https://[::1]:{port}/", PRIVATE),
        ("http://127.0.0.2:{port}/", "The url must begin with https://."),
        ("file:///etc/passwd", "The url must begin with https://."),
        ("https://a:b@127.0.0.2:{port}/", "The url must not contain credentials."),
        ("https://127.0.0.2:{port}\\@127.0.0.1/", "The url must not contain credentials."),
    ],
)
def test_every_redirect_is_checked(
    trusting: None, authority: Authority, settings: Any, location: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first host may be contacted, the second may not."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.2")]
    names(monkeypatch, receiver_example=["127.0.0.2"])
    with receiving(authority.good, host="0.0.0.0") as everywhere:
        everywhere.set_answers("/hook", redirect(location.format(port=everywhere.port)))
        assert refusal(everywhere.url(host="receiver.example")) == sentence
        assert everywhere.contacts == 1


def test_secrets_stay_with_their_host(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, receiver_example=["127.0.0.1"])
    receiver.set_answers("/1", redirect("/2"))
    receiver.set_answers("/2", redirect(receiver.url("/3", host="receiver.example")))
    get(receiver.url("/1"), headers={"Authorization": "Bearer 1", "If-None-Match": '"1"'})
    assert ["authorization" in request.headers for request in receiver.requests] == [True, True, False]
    assert all("if-none-match" in request.headers for request in receiver.requests)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (404, "The server answered 404 Not Found."),
        (401, "The server answered 401 Unauthorized."),
        (503, "The server answered 503 Service Unavailable."),
        (599, "The server answered 599."),
        (302, "The server answered 302 Found."),
    ],
)
def test_other_statuses_are_errors(receiver: Receiver, code: int, sentence: str) -> None:
    receiver.set_answers("/hook", Answer(code))
    with pytest.raises(FetchError) as caught:
        get(receiver.url())
    assert (str(caught.value), caught.value.status) == (sentence, code)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [0, 1, LARGEST - 1, LARGEST])
def test_up_to_the_limit(receiver: Receiver, size: int, packed: bool) -> None:
    body = b"x" * size
    answer = Answer(200, {"Content-Encoding": "gzip"}, gzip.compress(body, mtime=0)) if packed else Answer(body=body)
    receiver.set_answers("/hook", answer)
    assert get(receiver.url()).body == body


@pytest.mark.parametrize("headers", [{}, {"Transfer-Encoding": "identity", "Connection": "close"}])
def test_a_larger_file_is_not_read_to_its_end(receiver: Receiver, headers: dict[str, str]) -> None:
    receiver.set_answers("/hook", Answer(200, headers, b"x" * 50 * 2**20))
    assert refusal(receiver.url()) == "The response is larger than 64 kB."
    assert receiver.sent < 25 * 2**20


def test_a_bomb_is_not_unpacked(receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(50 * 2**20), mtime=0)))
    tracemalloc.start()
    try:
        assert refusal(receiver.url(), largest=2**20) == "The response is larger than 1 MB."
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()


def test_files_of_several_members(receiver: Receiver) -> None:
    members = gzip.compress(b"one ", mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(b"two", mtime=0)
    receiver.set_answers("/hook", Answer(200, {"Content-Encoding": "gzip"}, members))
    assert get(receiver.url()).body == b"one two"


@pytest.mark.parametrize(
    ("encoding", "body", "sentence"),
    [
        ("gzip", b"no gzip", "The response is not valid gzip."),
        ("gzip", gzip.compress(b"x" * 999, mtime=0)[:-9], "The response is incomplete."),
        ("deflate", zlib.compress(b"x"), "The response has an encoding that can't be read."),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "The response has an encoding that can't be read."),
    ],
)
def test_broken_encodings(receiver: Receiver, encoding: str, body: bytes, sentence: str) -> None:
    receiver.set_answers("/hook", Answer(200, {"Content-Encoding": encoding}, body))
    assert refusal(receiver.url()) == sentence


def test_a_body_that_ends_early(receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(200, {"Content-Length": "99"}, b"short"))
    assert refusal(receiver.url()).startswith("The request failed: ")


@pytest.mark.parametrize("drip", ["status", "headers", "continue", "body"])
def test_one_deadline_for_all_of_it(receiver: Receiver, drip: str) -> None:
    receiver.set_answers("/1", redirect("/2"))
    receiver.set_answers("/2", Answer(200, {"Content-Length": "99999"}, drip=drip))
    assert refusal(receiver.url("/1"), seconds=0.4) == "No complete response within 0.4 seconds."


def test_no_answer(receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(until=threading.Event()))
    assert refusal(receiver.url(), seconds=0.3) == "No complete response within 0.3 seconds."
    receiver.set_answers("/hook", Answer(closes=True))
    assert refusal(receiver.url()).startswith("The request failed: ")


def test_certificates_are_verified(trusting: None, authority: Authority) -> None:
    for certificate in (authority.wrong_name, authority.unknown):
        with receiving(certificate) as untrusted:
            assert "certificate verify failed" in refusal(untrusted.url())
            assert untrusted.requests == []


def test_a_header_that_breaks_out_is_not_sent(receiver: Receiver) -> None:
    """Values of conditional headers come from the other host."""
    assert refusal(receiver.url(), headers={"If-None-Match": '"1"\r\nX-Other: 1'}).startswith("The request failed: ")
    assert receiver.requests == []
