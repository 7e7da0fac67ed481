"""Requests as the application sees them, and answers as the client does, over real connections."""

import json
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cms_api.gateway.serving.bridge import THREADS

from .conftest import EchoServer, echo_server, read_to_end, read_until

CLOSE = b"Host: site.example\r\nConnection: close\r\n"


def check_own_headers(answer: bytes) -> None:
    """An answer that the application has not made has the headers of its answers nevertheless."""
    head = answer.partition(b"\r\n\r\n")[0].lower()
    for name in (
        b"x-request-id",
        b"x-content-type-options",
        b"content-security-policy",
        b"referrer-policy",
        b"permissions-policy",
    ):
        assert b"\r\n" + name + b": " in head, name


def seen(raw: bytes) -> dict[str, Any]:
    return json.loads(raw.partition(b"\r\n\r\n")[2])


def test_the_environment_of_a_request(echo: EchoServer) -> None:
    head = b"POST /caf%C3%A9/%2F?q=%20a HTTP/1.1\r\n" + CLOSE
    sent = b"Content-Type: text/plain\r\nContent-Length: 3\r\nCookie: a=1\r\nCookie: b=2\r\nX-Two: 1\r\nX-Two: 2\r\n\r\nabc"
    environ = seen(echo.ask(head + sent))
    assert environ["REQUEST_METHOD"] == "POST"
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/café//"
    assert environ["QUERY_STRING"] == "q=%20a"
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"]) == ("text/plain", "3")
    assert (environ["HTTP_COOKIE"], environ["HTTP_X_TWO"], environ["HTTP_HOST"]) == ("a=1; b=2", "1,2", "site.example")
    assert (environ["REMOTE_ADDR"], environ["SERVER_PORT"]) == ("127.0.0.1", str(echo.port))


def test_a_header_with_an_underscore_does_not_pass_for_another(echo: EchoServer) -> None:
    environ = seen(echo.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"X_Forwarded_For: 1.2.3.4\r\nX_Own: 1\r\n\r\n"))
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert "HTTP_X_OWN" not in environ


def test_a_header_that_is_not_ascii(echo: EchoServer) -> None:
    """Bytes reach the application as WSGI has them: each is a character of Latin-1."""
    environ = seen(echo.ask(b"GET / HTTP/1.1\r\n" + CLOSE + "Referer: http://é\r\n\r\n".encode()))
    assert environ["HTTP_REFERER"].encode("latin-1").decode() == "http://é"


@pytest.mark.parametrize("length", [1, 70_000, 3_000_000])
def test_bodies_arrive_whole(echo: EchoServer, length: int) -> None:
    head = b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: %d\r\n\r\n" % length
    assert b"x-length: %d\r\n" % length in echo.ask(head + b"x" * length)


def test_two_requests_on_one_connection(echo: EchoServer) -> None:
    first = b"POST / HTTP/1.1\r\nHost: site.example\r\nContent-Length: 5\r\n\r\nfirst"
    answer = echo.ask(first + b"GET /second HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert answer.count(b"HTTP/1.1 200 OK") == 2


def test_a_client_that_waits_until_it_may_send(echo: EchoServer) -> None:
    with echo.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\n" + CLOSE + b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 100")
        connection.sendall(b"body")
        assert b"x-length: 4" in read_to_end(connection)


def test_a_body_in_chunks(echo: EchoServer) -> None:
    """The application learns its length."""
    answer = echo.ask(b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
    assert b"x-length: 7\r\n" in answer
    assert seen(answer)["CONTENT_LENGTH"] == "7"


def test_headers_after_a_body_are_none_of_the_request(echo: EchoServer) -> None:
    """A proxy that sets the address of a client does not see them."""
    chunked = (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + CLOSE + b"X-Forwarded-For: 192.0.2.1\r\n\r\n3\r\nabc\r\n0\r\n"
    )
    environ = seen(echo.ask(chunked + b"X-Forwarded-For: 1.2.3.4\r\nAuthorization: Bearer x\r\n\r\n"))
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.1"
    assert "HTTP_AUTHORIZATION" not in environ


OFFER = b"Host: site.example\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n"


@pytest.mark.parametrize("pause", [0, 0.2])
def test_an_offer_of_another_protocol_is_ignored(echo: EchoServer, pause: float) -> None:
    """Java's client makes it with each request. A body that was lost would be read as a request, which a proxy did not see."""
    body = b"GET /hidden HTTP/1.1\r\n\r\n"
    with echo.connect() as connection:
        connection.sendall(b"POST /first HTTP/1.1\r\n" + OFFER + b"Content-Length: %d\r\n\r\n" % len(body))
        time.sleep(pause)
        connection.sendall(
            body + b"POST /second HTTP/1.1\r\n" + OFFER + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
        )
        connection.sendall((b"GET /more HTTP/1.1\r\n" + OFFER + b"\r\n") * 1000 + b"GET /last HTTP/1.1\r\n" + CLOSE + b"\r\n")
        answers = read_to_end(connection)
    assert answers.count(b"HTTP/1.1 200 OK") == 1003
    assert b"/hidden" not in answers
    for length, path in ((len(body), b"first"), (2, b"second"), (0, b"last")):
        assert b"x-length: %d\r\n" % length in answers
        assert b'"/%s"' % path in answers


def test_blank_lines_do_not_occupy_a_connection() -> None:
    """The time for which it may be idle ends with them."""
    with echo_server("hurried") as server, server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        read_until(connection, b"}")
        connection.sendall(b"\r\n")
        connection.settimeout(10)
        assert read_to_end(connection).startswith(b"HTTP/1.1 408")


def test_a_body_in_chunks_that_breaks_off_is_not_answered(echo: EchoServer) -> None:
    """A part of it would pass for the whole."""
    with echo.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        connection.shutdown(socket.SHUT_WR)
        assert read_to_end(connection) == b""


@pytest.mark.parametrize("query", ['q="a b"', "q=<b>", "q={}|^`"])
def test_characters_that_should_have_been_encoded(echo: EchoServer, query: str) -> None:
    """Scripts and mail programs send them."""
    answer = echo.ask(f"GET /?{query.replace(' ', '+')} HTTP/1.1\r\n".encode() + CLOSE + b"\r\n")
    assert seen(answer)["QUERY_STRING"].encode("latin-1").decode() == query.replace(" ", "+")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        ("GET /?q=é HTTP/1.1\r\n\r\n".encode(), b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", b"400"),
        (b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n", b"400"),
        (b"CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 100_000, b"431"),
        (b"GET /" + b"x" * 100_000, b"431"),
    ],
)
def test_what_is_no_request(echo: EchoServer, sent: bytes, status: bytes) -> None:
    answer = echo.ask(sent)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"server:" not in answer.lower()
    check_own_headers(answer)


@pytest.mark.parametrize("rest", [b"\0nonsense", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"])
@pytest.mark.parametrize("pause", [0, 0.2])
def test_a_request_is_answered_whatever_follows_it(echo: EchoServer, rest: bytes, pause: float) -> None:
    """It is carried out: a client that is refused would send it again."""
    with echo.connect() as connection:
        connection.sendall(b"POST /slow?0.5 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        time.sleep(pause)
        connection.sendall(rest)
        answer = read_to_end(connection)
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"slept")
    assert answer.count(b"HTTP/1.1") == 1


def test_parts_of_a_file(echo: EchoServer, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 1000)
    asked = f"GET /file?{path},1000,70000 HTTP/1.1\r\n".encode() + CLOSE + b"\r\n"
    head, _, body = echo.ask(asked).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 206")
    assert body == path.read_bytes()[1000:71000]


@pytest.mark.parametrize("size", [10, 700_000])
@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
def test_a_file_whose_name_is_not_its_path(echo: EchoServer, tmp_path: Path, size: int, method: bytes) -> None:
    """Django's file fields have the name that a file has in its storage: the server must not look for it on the disk."""
    path = tmp_path / "file"
    path.write_bytes(os.urandom(size))
    head, _, body = echo.ask(method + f" /renamed?{path} HTTP/1.1\r\n".encode() + CLOSE + b"\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200")
    assert f"content-length: {size}".encode() in head
    assert body == (path.read_bytes() if method == b"GET" else b"")


def test_answers_that_are_made_while_they_are_sent(echo: EchoServer) -> None:
    assert echo.ask(b"GET /unnamed HTTP/1.0\r\n\r\n").endswith(b"\r\n\r\n" + b"unnamed" * 10_000)
    body = echo.ask(b"GET /streamed HTTP/1.0\r\n\r\n").partition(b"\r\n\r\n")[2]
    assert body == b"".join(b"%03d " % number * 256 for number in range(1000))


@pytest.mark.parametrize("sent", [b"GET /failing HTTP/1.1\r\n", b"POST /failing HTTP/1.1\r\nContent-Length: 1\r\n"])
def test_a_failure_is_answered_and_leaves_the_connection_open(echo: EchoServer, sent: bytes) -> None:
    with echo.connect() as connection:
        connection.sendall(sent + b"Host: a\r\n\r\n" + (b"x" if b"Length" in sent else b""))
        answer = read_until(connection, b'{"message": "Server Error"}')
        assert answer.startswith(b"HTTP/1.1 500")
        check_own_headers(answer)
        connection.sendall(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n")
        assert read_to_end(connection).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
def test_an_unchanged_page_leaves_the_connection_open(echo: EchoServer, method: bytes) -> None:
    """Browsers ask for each page that they have seen before."""
    asked = method + b" /unchanged HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = echo.ask(asked * 2 + b"GET /second HTTP/1.1\r\n" + CLOSE + b"\r\n")
    assert (answer.count(b"HTTP/1.1 304"), answer.count(b"HTTP/1.1 200")) == (2, 1)
    assert b"1000" not in answer
    assert b'etag: "x"' in answer


def test_an_answer_that_breaks_off_closes_the_connection(echo: EchoServer) -> None:
    with echo.connect() as connection:
        connection.sendall(b"GET /breaking-off HTTP/1.1\r\nHost: a\r\n\r\n")
        assert read_to_end(connection).endswith(b"\r\n\r\nfirst")
    assert echo.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200")


def test_a_health_check_does_not_wait_for_other_requests(echo: EchoServer) -> None:
    with ExitStack() as stack:
        for _ in range(THREADS + 1):
            connection = stack.enter_context(echo.connect())
            connection.sendall(b"GET /slow?2 HTTP/1.1\r\n" + CLOSE + b"\r\n")
        time.sleep(0.3)
        started = time.monotonic()
        assert echo.ask(b"GET /healthz HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200")
        assert time.monotonic() - started < 1
        echo.ask(b"GET / HTTP/1.1\r\n" + CLOSE + b"\r\n")
        assert time.monotonic() - started > 1, "the other threads were not busy"


def test_one_health_check_does_not_wait_for_the_other() -> None:
    """The database may let the one wait that looks at it."""
    with echo_server() as server, server.connect() as connection:
        connection.sendall(b"GET /readyz HTTP/1.1\r\n" + CLOSE + b"\r\n")
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        assert server.ask(b"GET /healthz HTTP/1.1\r\n" + CLOSE + b"\r\n").startswith(b"HTTP/1.1 200")
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(10)
        assert read_to_end(connection).endswith(b"slept")


def test_a_request_that_is_being_answered_is_not_lost_by_a_stop() -> None:
    with ThreadPoolExecutor(1) as pool:
        with echo_server() as server:
            server.ask(b"GET / HTTP/1.0\r\n\r\n")
            answer = pool.submit(server.ask, b"GET /slow?1.5 HTTP/1.1\r\nHost: a\r\n\r\n")
            time.sleep(0.3)
        assert answer.result().endswith(b"slept")
