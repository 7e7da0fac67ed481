"""A web process; `python -m cms_api.gateway.serving.server DESCRIPTOR [APPLICATION]` is one by itself."""

import asyncio
import logging
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import uvicorn
from django.utils.module_loading import import_string

from .bridge import WsgiApplication, WsgiBridge
from .listener import BACKLOG
from .protocol import LimitedProtocol

#: Seconds that an idle connection stays open.
IDLE_SECONDS = 30
#: Files, connections included, that one process may open.
OPEN_FILES = 8192 + 256
#: Seconds in which the requests that have arrived are answered once the process is asked to stop.
GRACE_SECONDS = 15
#: Seconds between the end of accepting and the end of serving, in which connections are closed with their next answer.
DRAIN_SECONDS = 0.5


class Server(uvicorn.Server):
    """uvicorn's, which answers what has been sent before it closes idle connections."""

    def __init__(self, listener: socket.socket, application: WsgiApplication, report_ready: Callable[[], None]) -> None:
        self.listener, self.report_ready = listener, report_ready
        self.bridge = WsgiBridge(application)
        self.ends_at: float | None = None
        config = uvicorn.Config(
            self.bridge,
            http=LimitedProtocol,
            loop="uvloop",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.report_ready()

    async def on_tick(self, counter: int) -> bool:
        if not await super().on_tick(counter):
            return False
        if self.ends_at is None:
            self.ends_at = time.monotonic() + DRAIN_SECONDS
            self.bridge.is_closing = True
            waiting = list(self._accept_waiting())
            for server in self.servers:
                server.close()
            for connection in waiting:
                await asyncio.get_running_loop().connect_accepted_socket(self._make_protocol, connection)
        return time.monotonic() >= self.ends_at

    def _accept_waiting(self) -> Iterator[socket.socket]:
        """Accept the connections that wait, which the kernel would reset once no process listens."""
        # Until none is left, or this process may open no more files.
        with suppress(OSError):
            while True:
                yield self.listener.accept()[0]

    def _make_protocol(self) -> LimitedProtocol:
        return LimitedProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def serve(listener: socket.socket, application: WsgiApplication, report_ready: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT, and then until the requests that have arrived are answered."""
    _raise_limit()
    # Its warnings are of malformed requests, which are answered: anybody could fill the log.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    # Once it has stopped as asked, uvicorn sends itself the signal again.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit())
    Server(listener, application, report_ready).run([listener])


def _raise_limit() -> None:
    """Raise the limit of open files as far as this process may."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(OPEN_FILES, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def main(descriptor: str, application: str = "config.wsgi.application") -> None:
    serve(socket.socket(fileno=int(descriptor)), import_string(application))


if __name__ == "__main__":
    main(*sys.argv[1:])
