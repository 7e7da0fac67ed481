"""DNS lookups with a timeout. A lookup cannot be cancelled, so one that takes too long is left behind in its own thread."""

import ipaddress
import socket
import threading
import time
from concurrent.futures import Future

from ..types import Address

#: Concurrent lookups, including abandoned ones. Resolvers give up within a minute, so a dead one occupies at most this many
#: threads.
MOST = 64
_free = threading.BoundedSemaphore(MOST)


def resolve(host: str, port: int, seconds: float) -> list[Address]:
    """Return every IP address of a host, once. Raises OSError if it has none, or if none is known in time."""
    ends = time.monotonic() + seconds
    late = TimeoutError(f"no answer from the resolver within {seconds:.1f} seconds")
    if not _free.acquire(timeout=max(0.0, seconds)):
        raise late
    answer: Future[list[Address]] = Future()
    try:
        threading.Thread(target=_look_up, args=(host, port, answer), name="look-up", daemon=True).start()
    except RuntimeError as problem:
        _free.release()
        raise OSError(str(problem)) from None
    try:
        return answer.result(max(0.0, ends - time.monotonic()))
    except TimeoutError:
        raise late from None


def _look_up(host: str, port: int, answer: "Future[list[Address]]") -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = (ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found)
        answer.set_result(list(dict.fromkeys(addresses)))
    except Exception as problem:
        answer.set_exception(problem)
    finally:
        _free.release()
