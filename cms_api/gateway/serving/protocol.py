"""uvicorn's HTTP protocol, with limits of how long and how large the head of a request may be, and refusals with our headers."""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .bridge import own_answer

#: Seconds that a client may take to send its headers.
HEAD_SECONDS = 30
#: Bytes that may have arrived before the request line and headers are whole.
HEAD_BYTES = 64 * 1024


class LimitedProtocol(HttpToolsProtocol):
    head_bytes = 0
    head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        timer = self.head_timer
        super().data_received(data)
        if timer is not None and timer is self.head_timer:
            self.head_bytes += len(data)
            if self.head_bytes > HEAD_BYTES:
                self.refuse(431, "The request line and headers are too long.")

    def send_400_response(self, msg: str) -> None:
        self.refuse(400, "The request is not valid HTTP.")

    def refuse(self, status: int, message: str) -> None:
        """Answer what is no request, and close the connection."""
        if self.transport.is_closing():
            return
        _, headers, body = own_answer(status, message)
        head = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode()), *(b"%s: %s" % header for header in headers)]
        self.transport.write(b"\r\n".join([*head, b"", body]))
        self.transport.close()

    def _await_head(self) -> None:
        if self.head_timer is None:
            self.head_bytes = 0
            self.head_timer = self.loop.call_later(HEAD_SECONDS, self.refuse, 408, "The request did not arrive in time.")

    def _end_head(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None
