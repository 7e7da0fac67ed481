"""Where a host's name leads. A look-up cannot be cancelled, so it has a thread that is left behind when it takes too long."""

import ipaddress
import socket
import threading
import time
from concurrent.futures import Future

from ..types import Address

#: Look-ups that may be under way at once, those included that nobody waits for any more: resolvers give up within a
#: minute, so a dead one holds this many threads at most.
MOST = 64
_free = threading.BoundedSemaphore(MOST)


def resolve(host: str, port: int, seconds: float) -> list[Address]:
    """Every address of a host, once. Raises OSError where it has none, or where that is not known in time."""
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
