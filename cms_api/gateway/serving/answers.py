"""The application's answers, and how the server gets them."""

import json
import math
import os
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from wsgiref.util import FileWrapper

from granian.rsgi import HTTPProtocol

from .bodies import BodyRefused
from .policy import JSON_ANSWER

Headers = list[tuple[str, str]]
Run = Callable[[Callable[[], Any]], Awaitable[Any]]

#: Bytes of a file that are read, and kept for a client, at once.
PIECE_BYTES = 256 * 1024

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


class FilePieces:
    """A file that the application returned, read a piece at a time, and never beyond the `Content-Length` of its answer."""

    def __init__(self, wrapper: FileWrapper, length: int | None) -> None:
        self._wrapper = wrapper
        self._left = math.inf if length is None else length

    def __iter__(self) -> Iterator[bytes]:
        while self._left and (piece := self._wrapper.filelike.read(int(min(PIECE_BYTES, self._left)))):
            self._left -= len(piece)
            yield piece

    def close(self) -> None:
        close(self._wrapper)


@dataclass
class FileAnswer(StreamedAnswer):
    """A part of a file on the disk, which the server reads as fast as the client does."""

    parts: FilePieces
    path: str
    start: int
    length: int

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        protocol.response_file_range(self.status, self.headers, self.path, self.start, self.start + self.length)
        await run(self.parts.close)


def file_answer(status: int, headers: Headers, wrapper: FileWrapper) -> WholeAnswer | StreamedAnswer:
    """Return the answer with a file: whole if that is small, by its path if it has one, else streamed."""
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), None)
    pieces = FilePieces(wrapper, length)
    if length is not None and length <= PIECE_BYTES:
        try:
            return WholeAnswer(status, headers, b"".join(pieces))
        finally:
            pieces.close()
    path = _path_of(wrapper.filelike)
    if path and length is not None:
        return FileAnswer(status, headers, pieces, path, _position_of(wrapper.filelike), length)
    return StreamedAnswer(status, headers, pieces)


def _path_of(file: Any) -> str:
    """Return the path of an open file, empty if it has none: the name of some files is that in their storage."""
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not os.path.isabs(name):
        return ""
    try:
        return name if os.path.samestat(os.fstat(file.fileno()), os.stat(name)) else ""
    except (AttributeError, OSError):
        return ""


def _position_of(file: Any) -> int:
    """Return from which byte on an open file is to be sent."""
    if hasattr(file, "tell"):
        return int(file.tell())
    return os.lseek(file.fileno(), 0, os.SEEK_CUR)


def refuse(protocol: HTTPProtocol, refusal: BodyRefused) -> None:
    """Answer a request whose body is not received."""
    protocol.response_bytes(refusal.status, [CLOSE, *refusal.headers.items(), *_own_headers()], _message(str(refusal)))


def fail(protocol: HTTPProtocol) -> None:
    """Answer a request for which there is no answer, as an exception was raised; one that has an answer ignores it."""
    protocol.response_bytes(500, _own_headers(), _message("Server Error"))


def _own_headers() -> Headers:
    """Return the headers of an answer that the application has not made."""
    return [JSON, *JSON_ANSWER.items(), ("Cache-Control", "no-store"), ("X-Request-Id", secrets.token_hex(12))]


def _message(text: str) -> bytes:
    return json.dumps({"message": text}).encode()


def close(result: Iterable[bytes]) -> None:
    """Close what the application returned, if that can be closed."""
    if end := getattr(result, "close", None):
        end()
