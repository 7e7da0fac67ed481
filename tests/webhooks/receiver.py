"""A real HTTPS receiver on the loopback address, with a certificate authority of its own; tests set the answers of each path."""

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONFIG = "[req]\ndistinguished_name = dn\n[dn]\n"
#: Between two bytes of an answer that comes in drops.
DROP = 0.05


@dataclass(frozen=True)
class Authority:
    """Files of two certificate authorities, one of them trusted, and of the certificates they have signed."""

    trusted: Path
    good: Path
    wrong_name: Path
    unknown: Path


def make_authority(folder: Path) -> Authority:
    """Makes keys and certificates with the `openssl` command."""
    (folder / "openssl.cnf").write_text(CONFIG)
    for name in ("trusted", "unknown"):
        _certificate(folder, f"{name}-ca", "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign")
    here = "subjectAltName=DNS:localhost,DNS:receiver.example,IP:127.0.0.1,IP:::1"
    _certificate(folder, "good", here, signer="trusted-ca")
    _certificate(folder, "wrong", "subjectAltName=DNS:elsewhere.example", signer="trusted-ca")
    _certificate(folder, "unknown", here, signer="unknown-ca")
    return Authority(folder / "trusted-ca.pem", folder / "good.both", folder / "wrong.both", folder / "unknown.both")


def _certificate(folder: Path, name: str, *extensions: str, signer: str = "") -> None:
    command = ["openssl", "req", "-x509", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-nodes", "-days", "30", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
    for extension in extensions:
        command += ["-addext", extension]
    if signer:
        command += ["-CA", f"{signer}.pem", "-CAkey", f"{signer}.key"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (folder / f"{name}.both").write_bytes((folder / f"{name}.key").read_bytes() + (folder / f"{name}.pem").read_bytes())


@dataclass(frozen=True)
class Request:
    """A received request: the raw bytes, and their meaning."""

    path: str
    headers: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """How a path answers. `until` is waited for before anything is sent."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"ok"
    until: threading.Event | None = None
    #: Comes in drops, for ever: what is named here.
    drip: str = ""
    #: The connection is closed without an answer.
    closes: bool = False
    #: The connection is closed after the answer, also where that has not been said.
    hangs_up: bool = False
    #: Sent in place of all else; the connection is closed after it.
    raw: bytes = b""

    def head(self, *, last: bool) -> bytes:
        lines = [f"HTTP/1.1 {self.status} Said", *(f"{name}: {value}" for name, value in self.headers.items())]
        if not {"content-length", "transfer-encoding"} & {name.lower() for name in self.headers}:
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, *(["Connection: close"] if last else []), "", ""]).encode("latin-1")


class Receiver:
    """Listens from its making until `close`. Everything it has seen is in `requests`; connections are counted."""

    def __init__(
        self,
        certificate: Path | None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        slow_handshake: bool = False,
        keeps_open: bool = False,
        deaf: bool = False,
    ) -> None:
        self.requests: list[Request] = []
        #: Connections, also those that came to nothing.
        self.contacts = 0
        #: Bytes of answers that the other side has taken.
        self.sent = 0
        #: The most requests a path has had in hand at once: those whose answer it has not begun to send.
        self.most: dict[str, int] = {}
        self._slow_handshake = slow_handshake
        #: Takes one request after the other from a connection, as most receivers do.
        self._keeps_open = keeps_open
        #: Reads nothing of what it is sent.
        self._deaf = deaf
        self._answers: dict[str, list[Answer]] = {}
        self._hooks: list[Callable[[Request], None]] = []
        self._in_hand: dict[str, int] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._context: ssl.SSLContext | None = None
        if certificate is not None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(certificate)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=256)
        self.port: int = self._socket.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def url(self, path: str = "/hook", host: str = "127.0.0.1") -> str:
        return f"https://{host}:{self.port}{path}"

    def set_answers(self, path: str, *answers: Answer) -> None:
        """Set the answers of a path, one after the other; the last one repeats."""
        self._answers[path] = list(answers)

    def on_request(self, hook: Callable[[Request], None]) -> None:
        """Calls a function with every request, before it is answered."""
        self._hooks.append(hook)

    def at(self, path: str) -> list[Request]:
        return [request for request in list(self.requests) if request.path == path]

    def close(self) -> None:
        self._closed.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self.contacts += 1
            # Answered threads are forgotten, so that a long run does not gather them.
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._threads.append(threading.Thread(target=self._serve, args=(connection,), daemon=True))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(20)
            # The body of an answer does not wait until its head has been acknowledged.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is None:
                return
            if self._slow_handshake:
                self._drop(connection, b"\x16\x03\x03\x40\x00" + b"\x02\x00\x3f\xfc", b"\0")
                return
            with self._context.wrap_socket(connection, server_side=True) as secure:
                if self._deaf:
                    self._closed.wait()
                while (request := self._read(secure)) is not None and self._take(request, secure):
                    pass

    def _take(self, request: Request, secure: ssl.SSLSocket) -> bool:
        """Answers a request; whether another one may follow."""
        with self._lock:
            self.requests.append(request)
            self._in_hand[request.path] = self._in_hand.get(request.path, 0) + 1
            self.most[request.path] = max(self.most.get(request.path, 0), self._in_hand[request.path])
            answers = self._answers.get(request.path) or [Answer()]
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        try:
            for hook in self._hooks:
                hook(request)
            while answer.until is not None and not self._closed.is_set() and not answer.until.wait(DROP):
                pass
        finally:
            # Before the answer: whoever has it may send the next request at once.
            with self._lock:
                self._in_hand[request.path] -= 1
        self._answer(answer, secure)
        return self._keeps_open and not answer.closes and not answer.hangs_up

    def _answer(self, answer: Answer, secure: ssl.SSLSocket) -> None:
        if answer.raw:
            secure.sendall(answer.raw)
        if answer.closes or answer.raw:
            return
        if answer.drip == "status":
            return self._drop(secure, b"HTTP/1.1 2")
        if answer.drip == "headers":
            return self._drop(secure, b"HTTP/1.1 200 OK\r\nX-Long: ")
        if answer.drip == "continue":
            return self._drop(secure, b"", b"HTTP/1.1 100 Continue\r\n\r\n")
        secure.sendall(answer.head(last=not self._keeps_open))
        if answer.drip == "body":
            return self._drop(secure, b"")
        for start in range(0, len(answer.body), 16384):
            secure.sendall(answer.body[start : start + 16384])
            self.sent += len(answer.body[start : start + 16384])
        return None

    def _drop(self, connection: socket.socket, first: bytes, more: bytes = b"x") -> None:
        connection.sendall(first)
        while not self._closed.wait(DROP):
            connection.sendall(more)

    @staticmethod
    def _read(secure: ssl.SSLSocket) -> Request | None:
        raw = b""
        while b"\r\n\r\n" not in raw:
            if not (more := secure.recv(65536)):
                return None
            raw += more
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", 0)):
            if not (more := secure.recv(65536)):
                return None
            body += more
            raw += more
        return Request(first.split(" ")[1], headers, body, raw)


@contextmanager
def receiving(certificate: Path | None, **options: Any) -> Iterator[Receiver]:
    started = Receiver(certificate, **options)
    try:
        yield started
    finally:
        started.close()


def bodies_by_id(requests: Iterable[Request]) -> dict[int, set[bytes]]:
    """The different bodies that came under each `delivery_id`."""
    found: dict[int, set[bytes]] = {}
    for request in requests:
        found.setdefault(request.json["delivery_id"], set()).add(request.body)
    return found
