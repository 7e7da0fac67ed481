"""One web process: `python -m cms_api.gateway.serving DESCRIPTOR [APPLICATION]` accepts from a listening socket it inherits."""

import asyncio
import logging
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import Any

from django.utils.module_loading import import_string
from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from cms_api.gateway.supervisor import GRACE, report_ready

from .bridge import WsgiBridge
from .listener import BACKLOG, stop_accepting
from .requests import Others
from .scheduler import spawner

#: Milliseconds that a client may take to send its headers, and that an idle connection stays open.
HEADER_TIMEOUT = 30_000
#: The longest request line and headers, in bytes.
HEADER_BYTES = 64 * 1024
#: Connections that one process holds. Each needs a file descriptor; some are left for files and databases.
CONNECTIONS = 8192
RESERVED_DESCRIPTORS = 256
#: Threads that read files for clients.
FILE_THREADS = 16
#: Seconds between the end of accepting and the end of serving, in which connections are told that they are closed.
DRAIN = 0.5


class InheritedServer(Server):
    """Granian in this process's event loop, with the socket of the process that started it."""

    def __init__(self, bridge: WsgiBridge, listener: socket.socket, connections: int) -> None:
        super().__init__(
            target=bridge,
            interface=Interfaces.RSGI,
            http=HTTPModes.http1,
            websockets=False,
            backpressure=connections,
            runtime_blocking_threads=FILE_THREADS,
            http1_settings=HTTP1Settings(header_read_timeout=HEADER_TIMEOUT, max_buffer_size=HEADER_BYTES),
            log_enabled=False,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        # Where sockets are passed on by their state, that of Linux includes the backlog.
        state: tuple[Any, ...] = (self._listener.fileno(), False, *([BACKLOG] if sys.platform == "linux" else []))
        self._shd: Any = SocketHolder(*state)


def _raise_limit() -> int:
    """Raise the limit of open files as far as this process may; return how many connections that allows."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + RESERVED_DESCRIPTORS
    allowed = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    return max(allowed - RESERVED_DESCRIPTORS, RESERVED_DESCRIPTORS)


async def serve(listener: socket.socket, application: Any) -> None:
    """Serve until SIGTERM or SIGINT, and then until the requests that have arrived are answered."""
    bridge = WsgiBridge(application, on_start=report_ready, others=Others.inherited())
    server = InheritedServer(bridge, listener, _raise_limit())
    loop = asyncio.get_running_loop()

    def stop() -> None:
        stop_accepting(listener)
        bridge.close_connections()
        loop.call_later(DRAIN, server.stop)
        # Clients that never finish are not waited for.
        loop.call_later(GRACE, os._exit, 0)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    listener.listen(BACKLOG)
    await server.serve(spawner(bridge))


def main(descriptor: str, application: str = "config.wsgi.application") -> None:
    # Django refuses the database to the thread of an event loop, and loading may read it.
    asyncio.run(serve(socket.socket(fileno=int(descriptor)), import_string(application)))
    logging.shutdown()
    # The server's own threads may still be ending, and would abort while the interpreter shuts down.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
