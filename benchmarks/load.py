"""Sends requests in a closed loop over keep-alive connections and reads the server's CPU time from /proc."""

import os
import socket
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

CONNECTIONS = 4
#: Requests before the first block, or as many as fit into the seconds: JIT compilers need many.
WARM_UP_REQUESTS, WARM_UP_SECONDS = 2000, 5
#: Requests that the pace of a target is measured with.
TRIAL_REQUESTS = 24
#: A block lasts as long as the slowest target's, and at least this long, in seconds ...
SHORTEST_BLOCK_SECONDS = 1.5
#: ... but never has more than this many times the requests asked for.
MAX_REQUEST_FACTOR = 50


class WrongAnswer(Exception):
    """An answer lacks the expected status or text."""


@dataclass(frozen=True)
class Shot:
    """A request and its expected answer: the status, each marker at least `times` times, and none of `absent`."""

    raw: bytes
    status: int = 200
    markers: tuple[bytes, ...] = ()
    times: int = 1
    absent: tuple[bytes, ...] = ()

    def check(self, status: int, body: bytes) -> None:
        is_whole = status == self.status and all(body.count(marker) >= self.times for marker in self.markers)
        if not is_whole or any(text in body for text in self.absent):
            asked = self.raw.split(b"\r\n", 1)[0].decode()
            expected = f"{self.status} with {self.times} x {self.markers} and without {self.absent}"
            raise WrongAnswer(f"{asked}: {status} instead of {expected}: {body[:300]!r}")


@dataclass(frozen=True)
class Target:
    """One server (its port, its process, its PostgreSQL database if any) and an endless supply of requests."""

    port: int
    pid: int
    database: str
    shots: Iterator[Shot]
    connections: int = CONNECTIONS


@dataclass(frozen=True)
class Sample:
    """The cost of a block of requests."""

    cpu_ms: float
    per_second: float
    #: Milliseconds from a request to its answer, which half of the requests exceed, and one in a hundred.
    p50_ms: float
    p99_ms: float


def measure(targets: dict[str, Target], *, requests: int, rounds: int, seconds: float) -> dict[str, list[Sample]]:
    """Run blocks alternately, A B C then C B A, so that disturbances of the machine affect every target alike."""
    pace = {name: _warmed_up(target, seconds) for name, target in targets.items()}
    length = max(requests * max(pace.values()), SHORTEST_BLOCK_SECONDS)
    counts = {name: max(1, int(min(length / each, requests * MAX_REQUEST_FACTOR))) for name, each in pace.items()}
    samples: dict[str, list[Sample]] = {name: [] for name in targets}
    for number in range(rounds):
        for name in list(targets)[:: -1 if number % 2 else 1]:
            samples[name].append(_block(targets[name], counts[name], seconds))
    return samples


def _warmed_up(target: Target, seconds: float) -> float:
    """Return seconds per request, after a first run that fills caches and lets a JIT compiler do its work."""
    _block(target, WARM_UP_REQUESTS, min(seconds, WARM_UP_SECONDS))
    return 1 / _block(target, TRIAL_REQUESTS, seconds).per_second


def _block(target: Target, count: int, seconds: float) -> Sample:
    waiting = deque(islice(target.shots, count))
    cpu, start = cpu_seconds(target.pid, target.database), time.perf_counter()
    with ThreadPoolExecutor(target.connections) as pool:
        runs = [pool.submit(_drain, waiting, target.port, start + seconds) for _ in range(target.connections)]
        took = sorted(chain.from_iterable(run.result() for run in runs))
    wall, done = time.perf_counter() - start, len(took)
    cpu = cpu_seconds(target.pid, target.database) - cpu
    return Sample(1000 * cpu / done, done / wall, 1000 * took[done // 2], 1000 * took[done * 99 // 100])


def _drain(waiting: deque[Shot], port: int, deadline: float) -> list[float]:
    """Send the waiting requests over one connection; return the seconds that each answer took, which all were correct."""
    took = []
    with Connection(port) as connection:
        while time.perf_counter() < deadline:
            try:
                shot = waiting.popleft()
            except IndexError:
                break
            begin = time.perf_counter()
            try:
                shot.check(*connection.ask(shot.raw))
            except Exception:
                waiting.clear()
                raise
            took.append(time.perf_counter() - begin)
    return took


class Connection:
    """A keep-alive HTTP/1.1 connection to this machine, reopened when the server closes it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.open()

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, raw: bytes) -> tuple[int, bytes]:
        """Return the status and the body."""
        status, _, body = self.ask_all(raw)
        return status, body

    def ask_all(self, raw: bytes) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers by lower-case name, and the body."""
        self.socket.sendall(raw)
        first = self.stream.readline()
        if not first:
            raise WrongAnswer(f"Port {self.port} closed the connection.")
        status = int(first.split(b" ", 2)[1])
        headers: dict[str, str] = {}
        while line := self.stream.readline().strip():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if status in {204, 304}:
            body = b""
        elif "chunked" in headers.get("transfer-encoding", ""):
            body = b"".join(self._chunks())
        else:
            body = self.stream.read(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            self.close()
            self.open()
        return status, headers, body

    def _chunks(self) -> Iterable[bytes]:
        while size := int(self.stream.readline(), 16):
            yield self.stream.read(size)
            self.stream.readline()
        self.stream.readline()


def cpu_seconds(root: int, database: str = "") -> float:
    """Return user and system time of a process and its descendants, and of the PostgreSQL processes of `database` and Redis."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    counted = {root}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().rpartition(")")
            is_server = name.endswith("(postgres") and f" {database} " in (folder / "cmdline").read_text()
            if database and (is_server or name.endswith("(redis-server")):
                counted.add(int(folder.name))
        except OSError:
            continue  # it has ended
        fields = rest.split()
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = int(fields[11]) + int(fields[12])
    while below := {pid for pid, parent in parents.items() if parent in counted} - counted:
        counted |= below
    return sum(ticks.get(pid, 0) for pid in counted) / os.sysconf("SC_CLK_TCK")
