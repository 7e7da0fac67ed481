"""The application's answers, and how the server gets them."""

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import IO, Any
from wsgiref.util import FileWrapper

from granian.rsgi import HTTPProtocol

from .bodies import BodyRefused

Headers = list[tuple[str, str]]
Run = Callable[[Callable[[], Any]], Awaitable[Any]]

JSON, CLOSE = ("content-type", "application/json"), ("connection", "close")


@dataclass
class Answer:
    """The application's answer."""

    status: int
    headers: Headers


@dataclass
class WholeAnswer(Answer):
    """An answer that is complete in memory: the server sends it as fast as the client reads."""

    body: bytes

    def give(self, protocol: HTTPProtocol) -> None:
        protocol.response_bytes(self.status, self.headers, self.body)


@dataclass
class StreamedAnswer(Answer):
    """An answer whose parts are made while it is sent: a thread makes each part, and none is kept while the client reads."""

    parts: Iterable[bytes]

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        """Give the answer to the server; `run` runs what takes time in a thread."""
        iterator = iter(self.parts)
        try:
            transport = protocol.response_stream(self.status, self.headers)
            while (part := await run(lambda: next(iterator, None))) is not None:
                await transport.send_bytes(part)
        finally:
            await run(lambda: close(self.parts))


@dataclass
class FileAnswer(StreamedAnswer):
    """A part of a file: read by the server if it is on the disk, else by a thread."""

    parts: FileWrapper

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        length = next((int(value) for name, value in self.headers if name.lower() == "content-length"), 0)
        file: IO[bytes] = self.parts.filelike
        path = getattr(file, "name", None)
        if not isinstance(path, str) or not length:
            await super().send(protocol, run)
            return
        start = file.tell()
        protocol.response_file_range(self.status, self.headers, path, start, start + length)
        await run(lambda: close(self.parts))


def refuse(protocol: HTTPProtocol, refusal: BodyRefused) -> None:
    """Answer a request whose body is not received."""
    protocol.response_bytes(refusal.status, [JSON, CLOSE, *refusal.headers.items()], _message(str(refusal)))


def fail(protocol: HTTPProtocol) -> None:
    """Answer a request for which there is no answer, as an exception was raised; one that has an answer ignores it."""
    protocol.response_bytes(500, [JSON], _message("Server Error"))


def _message(text: str) -> bytes:
    return json.dumps({"message": text}).encode()


def close(result: Iterable[bytes]) -> None:
    """Close what the application returned, if that can be closed."""
    if end := getattr(result, "close", None):
        end()
