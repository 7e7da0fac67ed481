"""A storm of page views on a served site: how many it takes, how many it loses, and how much slower pages become."""

import argparse
import multiprocessing
import os
import random
import selectors
import signal
import socket
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import cycle
from typing import Any

from tests.webhooks.crash import Site

from .load import cpu_seconds
from .servers import processes_below

#: Seconds between the requests of somebody who looks at pages while views arrive.
PAUSE_SECONDS = 0.02
#: Connections on which the sender sends one after the other, before it waits for answers of others.
GROUP_CONNECTIONS = 32
#: Pages of the site.
PAGES = 500
#: Seconds of a period without a storm, with a sink, or with a storm.
PERIOD_SECONDS = 5.0
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
_TAKEN = b"HTTP/1.1 204 "
_PROCESSES = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Taken:
    sent: int
    lost: bool


@dataclass(frozen=True)
class Sent:
    """The result of sending; a message is taken, or refused."""

    taken: int
    refused: int
    seconds: float
    #: CPU of the sender.
    cpu: float
    #: Milliseconds of pages that were asked for meanwhile.
    pages: list[float]

    @property
    def total(self) -> int:
        return self.taken + self.refused


def storm(target: Site, server: int, first: int, workers: int, rate: float, options: argparse.Namespace) -> Taken:
    """Send views, so many a second or as many as the server takes; all that it acknowledges must be in the reports."""
    before, connections = views(target), options.visitors
    web, worker = cpu_of(server, "web"), cpu_of(server, "queues")
    sent = sending(target.port, target.port, first, connections, rate, options.seconds)
    web, worker = cpu_of(server, "web") - web, cpu_of(server, "queues") - worker
    ended = time.monotonic()
    stored = stored_views(target, before + sent.taken) - before
    per_second, each = sent.seconds, 1e6 * web / sent.total
    print(
        f"{workers} processes, {connections} connections, {sent.seconds:.0f} s: {sent.taken / per_second:,.0f} views/s taken, "
        f"{sent.refused} refused, {sent.taken - stored} of {sent.taken:,} lost, stored {time.monotonic() - ended:.1f} s later\n"
        f"  CPU of the web processes {web / per_second:.0%} ({each:.0f} µs each, with {len(sent.pages)} pages), "
        f"of the worker {worker / per_second:.0%}, of the sender {sent.cpu / per_second:.0%}\n"
        f"  rendered page meanwhile {in_short(sent.pages)}",
        flush=True,
    )
    return Taken(sent.total, stored != sent.taken)


def compare_pages(target: Site, server: int, first: int, workers: int, rate: float, options: argparse.Namespace) -> Taken:
    """Compare pages in short periods in turn: without messages, while these are sent to a sink, and while they are views.

    The worker stores only in the last ones, so that it does not spoil the others with what these have left.
    """
    before, taken, sent = views(target), 0, 0
    rounds: list[tuple[float, float, float]] = []
    with a_sink() as sink_port:
        for _ in range(max(round(options.seconds / PERIOD_SECONDS), 1)):
            with pausing(server, "queues"):
                end = time.monotonic() + PERIOD_SECONDS
                quiet = asked(target.port, "/search?q=quiet{}", lambda _, end=end: time.monotonic() < end)[0]
                beside = sending(sink_port, target.port, 1, options.visitors, rate, PERIOD_SECONDS).pages
            stormed = sending(target.port, target.port, first + sent, options.visitors, rate, PERIOD_SECONDS)
            taken, sent = taken + stormed.taken, sent + stormed.total
            rounds.append((statistics.median(quiet), statistics.median(beside), statistics.median(stormed.pages)))
    quiets, besides, storms = zip(*rounds, strict=True)
    to_quiet, to_sink = (spread_of(storms, each) for each in (quiets, besides))
    middle = " / ".join(f"{statistics.median(each):.2f}" for each in (quiets, besides, storms))
    print(
        f"{workers} processes, {len(rounds)} rounds of {PERIOD_SECONDS:.0f} s, "
        f"{taken / PERIOD_SECONDS / len(rounds):,.0f} views/s taken, "
        f"{sent - taken} refused: rendered page {middle} ms quiet / beside a sink / in a storm\n"
        f"  storm to quiet {to_quiet}, storm to sink {to_sink}",
        flush=True,
    )
    return Taken(sent, stored_views(target, before + taken) - before != taken)


def spread_of(numerators: Sequence[float], denominators: Sequence[float]) -> str:
    """Return the median of ratios, and the middle half of them."""
    ratios = [more / less for more, less in zip(numerators, denominators, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else 3 * ratios
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def stored_views(target: Site, number: int) -> int:
    """Wait until so many views are stored, two minutes at most; return how many are."""
    end = time.monotonic() + 120
    while (found := views(target)) < number and time.monotonic() < end:
        time.sleep(0.2)
    return found


def in_short(milliseconds: list[float]) -> str:
    parts = statistics.quantiles(milliseconds, n=20)
    return f"{parts[9]:.2f} ms (95 %: {parts[18]:.2f})"


@contextmanager
def pausing(server: int, name: str) -> Iterator[None]:
    """Stop those processes of `manage.py serve` whose name begins so, and let them go on at the end."""
    stopped = processes_named(server, name)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@contextmanager
def a_sink() -> Iterator[int]:
    """Yield the port of a process that discards messages: a sender takes CPU from pages, too."""
    ours, theirs = _PROCESSES.Pipe()
    process = _PROCESSES.Process(target=sink, args=(theirs,))
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def sending(port: int, site: int, first: int, connections: int, rate: float, seconds: float) -> Sent:
    """Send views to a port, and ask for pages of a site meanwhile."""
    ours, theirs = _PROCESSES.Pipe()
    sender = _PROCESSES.Process(target=send, args=(port, first, connections, rate, seconds, theirs))
    sender.start()
    ours.recv()
    pages = asked(site, "/search?q=storm{}", lambda _: not ours.poll())[0]
    found = Sent(*ours.recv(), pages=pages)
    sender.join()
    return found


def asked(port: int, path: str, is_on: Callable[[int], bool]) -> tuple[list[float], int]:
    """Return the milliseconds that each request for a page takes while it goes on, and its size."""
    connection, taken, size = HTTPConnection("127.0.0.1", port, timeout=60), [], 0
    while is_on(len(taken)):
        start = time.perf_counter()
        connection.request("GET", path.format(random.randrange(10**9)))
        size = len(connection.getresponse().read())
        taken.append(1000 * (time.perf_counter() - start))
        # Visitors pause; otherwise this would be a load of its own.
        time.sleep(PAUSE_SECONDS)
    connection.close()
    return taken, size


def cpu_of(server: int, name: str) -> float:
    """Return the CPU seconds of those processes of `manage.py serve` whose name begins so."""
    return sum(map(cpu_seconds, processes_named(server, name)))


def processes_named(server: int, name: str) -> list[int]:
    return [pid for pid, found in processes_below(server).items() if found.startswith(name)]


def views(target: Site) -> int:
    found: int = target.call("GET", "/api/v1/analytics/summary")[1]["data"]["pageviews"]
    return found


# The sender, and a sink to compare with.


def send(port: int, first: int, connections: int, rate: float, seconds: float, pipe: Any) -> None:
    """Send views on some connections, each of which has one message at a time; tell what became of them."""
    sockets = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(connections)]
    for each in sockets:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    groups = [sockets[start : start + GROUP_CONNECTIONS] for start in range(0, connections, GROUP_CONNECTIONS)]
    waiting: set[int] = set()
    pipe.send("ready")
    cpu, start, number, taken = time.process_time(), time.perf_counter(), first, 0
    for place, group in cycle(enumerate(groups)):
        if place in waiting:
            taken += answered(group)
            waiting.discard(place)
        while rate and (time.perf_counter() - start) * rate < number - first + len(group):
            time.sleep(0.001)
        if time.perf_counter() > start + seconds:
            break
        for each in group:
            each.sendall(request_of(number))
            number += 1
        waiting.add(place)
    taken += sum(answered(groups[place]) for place in waiting)
    pipe.send((taken, number - first - taken, time.perf_counter() - start, time.process_time() - cpu))


def answered(group: list[socket.socket]) -> int:
    """Wait for an answer on each connection; return how many are accepted."""
    return sum(each.recv(65_536).startswith(_TAKEN) for each in group)


def request_of(number: int) -> bytes:
    visitor = number // 10
    address = f"10.{visitor >> 16 & 255}.{visitor >> 8 & 255}.{visitor & 255}"
    message = f'{{"n":"view","i":"{2 * number:x}","u":"http://localhost/p{number % PAGES}","r":"","t":"Page"}}'
    return (
        f"POST /visits HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: {AGENT}\r\nX-Forwarded-For: {address}\r\n"
        f"Content-Length: {len(message)}\r\n\r\n{message}"
    ).encode()


def sink(pipe: Any) -> None:
    """Accept whatever is sent, until this process is ended."""
    listener, selector = socket.create_server(("127.0.0.1", 0), backlog=1024), selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    pipe.send(listener.getsockname()[1])
    while True:
        for key, _ in selector.select():
            found: Any = key.fileobj
            if found is listener:
                selector.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            with suppress(OSError):
                if found.recv(65_536):
                    found.sendall(_TAKEN + b"No Content\r\n\r\n")
                    continue
            selector.unregister(found)
            found.close()
