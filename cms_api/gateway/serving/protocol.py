"""uvicorn's HTTP protocol, with limits of how long and how large the head of a request may be, and refusals with our headers."""

import asyncio
from http import HTTPStatus
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .bridge import own_answer

#: Seconds that a client may take to send its headers.
HEAD_SECONDS = 30
#: Bytes that may have arrived before the request line and headers are whole.
HEAD_BYTES = 64 * 1024


class Parser(httptools.HttpRequestParser):
    """Reads requests that offer to upgrade like others: httptools ends them after their headers, and loses their bodies.

    Curl and Java offer HTTP/2 in this way. A body that was lost would be read as the next request.
    """

    protocol: "LimitedProtocol"

    def feed_data(self, data: Any) -> None:
        while data:
            try:
                super().feed_data(data)
            except httptools.HttpParserUpgrade as offer:
                super().feed_data(self.protocol.head_without_offer())
                data = memoryview(data)[offer.args[0] :]
            else:
                return


class LimitedProtocol(HttpToolsProtocol):
    head_bytes = 0
    head_timer: asyncio.TimerHandle | None = None

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.parser = Parser(self)
        self.parser.protocol = self
        # As uvicorn sets it: a request may be answered before those that follow it are refused.
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        # Headers after a body are none of the request's: a proxy has not checked them.
        if self.head_timer is not None:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._end_head()
        if not self.parser.should_upgrade():
            super().on_headers_complete()
        elif self.parser.get_method() == b"CONNECT":
            raise ValueError("This is no proxy.")

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def head_without_offer(self) -> bytes:
        """Return the request line and headers that have been read, without the header that offers to upgrade."""
        line = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        headers = [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        return b"\r\n".join([line, *headers, b"", b""])

    def data_received(self, data: bytes) -> None:
        timer = self.head_timer
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            # Blank lines before a request end the time for which a connection may be idle.
            self._await_head()
        if timer is not None and timer is self.head_timer:
            self.head_bytes += len(data)
            if self.head_bytes > HEAD_BYTES:
                self.refuse(431, "The request line and headers are too long.")

    def send_400_response(self, msg: str) -> None:
        self.refuse(400, "The request is not valid HTTP.")

    def refuse(self, status: int, message: str) -> None:
        """Answer what is no request, and close the connection; after the answers to requests before it, if there are any."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and not (self.cycle.response_complete or self.cycle.more_body):
            # The last of them has arrived whole, and may have been carried out.
            self.cycle.keep_alive = False
            return
        _, headers, body = own_answer(status, message)
        head = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode()), *(b"%s: %s" % header for header in headers)]
        self.transport.write(b"\r\n".join([*head, b"", body]))
        self.transport.close()

    def _await_head(self) -> None:
        if self.head_timer is None and not self.transport.is_closing():
            self.head_bytes = 0
            self.head_timer = self.loop.call_later(HEAD_SECONDS, self.refuse, 408, "The request did not arrive in time.")

    def _end_head(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
            self.head_timer = None
