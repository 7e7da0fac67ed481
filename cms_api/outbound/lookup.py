"""DNS lookups with a timeout, and the check of their results.

A lookup cannot be cancelled, so each has a thread, in which one that takes too long is left behind. A thread that is done waits
a moment for the next lookup: to start one takes longer than most lookups.
"""

import ipaddress
import socket
import threading
import time
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any

from django.conf import settings

from cms_api.core.errors import Invalid
from cms_api.core.locks import refuse_in_transaction

from .addresses import Address, check_url, host_of, is_allowed, is_localhost

#: Concurrent lookups, including abandoned ones. Resolvers give up within a minute, so a dead one occupies at most this many
#: threads.
MAX_LOOKUPS = 64
#: Seconds that a thread waits for another lookup.
IDLE_SECONDS = 5.0
_free = threading.BoundedSemaphore(MAX_LOOKUPS)
#: Counts the threads that wait.
_idle = threading.Semaphore(0)

Answer = Future[list[Address]]
_waiting: SimpleQueue[tuple[str, int, Answer]] = SimpleQueue()


class RefusedError(Exception):
    """The host cannot or must not be called; the message says why."""


def checked_addresses(url: str, seconds: float) -> list[Address]:
    """Return every current IP address of a URL's host. Raises RefusedError unless the URL and all of them may be called."""
    try:
        parts = check_url(url)
    except Invalid as refusal:
        raise RefusedError(str(refusal)) from None
    host = host_of(parts)
    try:
        found = resolve(host, parts.port or 443, seconds)
    except (OSError, ValueError) as problem:
        raise RefusedError(f"The host could not be found: {problem}") from None
    if not found or is_localhost(host) or not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in found):
        raise RefusedError("The host resolves to a private or reserved address.")
    return found


def resolve(host: str, port: int, seconds: float) -> list[Address]:
    """Return every IP address of a host, once. Raises OSError if it has none, or if none is known in time."""
    refuse_in_transaction("Looking a host up")
    ends = time.monotonic() + seconds
    late = TimeoutError(f"no answer from the resolver within {seconds:.1f} seconds")
    if not _free.acquire(timeout=max(0.0, seconds)):
        raise late
    answer: Answer = Future()
    try:
        if _idle.acquire(blocking=False):
            _waiting.put((host, port, answer))
        else:
            threading.Thread(target=_look_up_all, args=(host, port, answer), name="look-up", daemon=True).start()
    except RuntimeError as problem:
        _free.release()
        raise OSError(str(problem)) from None
    try:
        return answer.result(max(0.0, ends - time.monotonic()))
    except TimeoutError:
        raise late from None


def _look_up_all(*first: Any) -> None:
    """Look up a host, and others until there is none for a while."""
    _look_up(*first)
    while True:
        try:
            following = _waiting.get(timeout=IDLE_SECONDS)
        except Empty:
            # If it is no longer counted, another lookup is about to be handed to it.
            if _idle.acquire(blocking=False):
                return
            following = _waiting.get()
        _look_up(*following)


def _look_up(host: str, port: int, answer: Answer) -> None:
    found: list[Address] = []
    problem: Exception | None = None
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = (ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in entries)
        found = list(dict.fromkeys(addresses))
    except Exception as raised:
        problem = raised
    # Before the answer, so that the next lookup finds this thread.
    _free.release()
    _idle.release()
    if problem is None:
        answer.set_result(found)
    else:
        answer.set_exception(problem)
