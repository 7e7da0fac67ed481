"""500 clients that are slow on purpose, against a served site: the others do not notice."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.serving import Site, served

pytestmark = pytest.mark.long

CLIENTS = 500
#: Seconds after which a request is not answered. It would wait as long as the slow clients, if it waited for them.
UNANSWERED = 10.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("var"), API_RATE_PER_MINUTE="1000000") as started:
        started.manage("setup_site")
        started.manage("feature", "on", "api")
        yield started


@pytest.fixture(scope="module")
def token(site: Site) -> str:
    return site.manage("create_token", "patient", "--all-abilities")


BEGUN = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
UPLOAD = (
    "POST /api/v1/content-items HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\nContent-Length: 100000\r\n\r\n"
)
SIGN_IN = "POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
SCRIPT = "GET /static/wagtailadmin/js/wagtailadmin.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param(BEGUN, id="headers a byte at a time"),
        pytest.param(UPLOAD, id="bodies that never end"),
        pytest.param(SIGN_IN, id="forms that never end"),
        pytest.param(SCRIPT * 4, id="answers that are never read"),
    ],
)
def test_slow_clients_keep_nobody_waiting(site: Site, token: str, request_text: str) -> None:
    with slow_clients(site.port, request_text.format(token=token).encode()) as waiting:
        for _ in range(5):
            assert site.request("GET", "/healthz", timeout=UNANSWERED).status == 200
            assert site.request("GET", "/api/v1/content-items", token=token, timeout=UNANSWERED).status == 200
            values = {"type": "service", "data": {"title": "New"}}
            created = site.request("POST", "/api/v1/content-items", values, token=token, timeout=UNANSWERED)
            assert created.status == 201
        assert waiting() == CLIENTS, "the server must not have closed them: they prove nothing then"


@contextmanager
def slow_clients(port: int, request: bytes) -> Iterator[Callable[[], int]]:
    """Open connections that have sent a request, send a byte a second and read nothing; yield a count of those still open."""
    stopping = threading.Event()
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.socket()) for _ in range(CLIENTS)]
        for connection in connections:
            # A small window: the rest of the answer stays with the server.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            connection.sendall(request)
        writer = threading.Thread(target=_send_slowly, args=(connections, stopping))
        writer.start()
        try:
            yield lambda: sum(map(_is_open, connections))
        finally:
            stopping.set()
            writer.join()


def _send_slowly(connections: list[socket.socket], stopping: threading.Event) -> None:
    while not stopping.wait(1):
        for connection in connections:
            try:
                connection.send(b"x", socket.MSG_DONTWAIT)
            except OSError:
                continue


def _is_open(connection: socket.socket) -> bool:
    """Return whether the server has not closed the connection; an answer may be waiting in it."""
    try:
        return bool(connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return True
    except OSError:
        return False
