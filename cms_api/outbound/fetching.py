"""Requests for public files at addresses that people name, such as calendars."""

import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from urllib3.response import BaseHTTPResponse

from cms_api.text.printable import printable

from .addresses import as_https
from .connection import FAILURES, PinnedConnection, failure, seconds_until
from .lookup import RefusedError, checked_addresses

AGENT = "Site-Fetch/1.0"
MAX_REDIRECTS = 3

_REDIRECTS = {301, 302, 303, 307, 308}
#: Headers that belong to one host; a redirect to another one leaves them out.
_SECRETS = {"authorization", "cookie"}
_CHUNK_BYTES = 64 * 1024
#: Makes zlib read the format of gzip.
_GZIP_WBITS = 16 + zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response: 2xx, or 304 to a conditional request. The names of `headers` are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class FetchError(Exception):
    """Nothing could be fetched; the message is a sentence about the reason. `status` and `headers` are those of the response."""

    def __init__(self, message: str, status: int | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(printable(message))
        self.status = status
        self.headers = headers or {}


def fetch(
    url: str, *, headers: Mapping[str, str] | None = None, largest: int, seconds: float = 10, body: bytes | None = None
) -> Fetched:
    """Return the response of an https or webcal address. Raises FetchError. With a body, it is posted.

    `largest` is the limit of the body in bytes, compressed and not. At most three redirects are followed, each to an address that
    is checked like the first; none with a body. `seconds` is for all of it.
    """
    ends = time.monotonic() + seconds
    address = as_https(url)
    sent = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": AGENT, **(headers or {})}
    try:
        for _ in range(MAX_REDIRECTS + 1):
            found = _request(address, sent, largest, ends, body)
            if isinstance(found, Fetched):
                return found
            if urlsplit(found).netloc != urlsplit(address).netloc:
                sent = {name: value for name, value in sent.items() if name.lower() not in _SECRETS}
            address = found
    except RefusedError as refusal:
        raise FetchError(str(refusal)) from None
    except FAILURES as problem:
        raise FetchError(failure(problem, seconds)) from None
    raise FetchError("The address redirects too often.")


def _request(address: str, sent: Mapping[str, str], largest: int, ends: float, body: bytes | None) -> Fetched | str:
    """Return the response, or the address that it redirects to."""
    addresses = checked_addresses(address, seconds_until(ends))
    method = "GET" if body is None else "POST"
    with PinnedConnection() as connection, connection.send(method, address, sent, addresses, ends, body) as response:
        code, location = response.status, response.headers.get("Location")
        if code in _REDIRECTS and location and body is None:
            return as_https(urljoin(address, location))
        if code == HTTPStatus.NOT_MODIFIED:
            return Fetched(code, response.headers, b"")
        if not 200 <= code < 300:
            raise FetchError(f"The server answered {_phrase(code)}.", code, response.headers)
        return Fetched(code, response.headers, _body(response, largest, ends))


def _phrase(code: int) -> str:
    """Return a status with its name, such as "404 Not Found"."""
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _body(response: BaseHTTPResponse, largest: int, ends: float) -> bytes:
    """Return the decoded body. It is decoded here, because a library would only notice its size once it is in memory."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise FetchError("The response has an encoding that can't be read.", response.status)
    is_gzip = encoding.endswith("gzip")
    unpacked, read = bytearray(), 0
    decoder = zlib.decompressobj(_GZIP_WBITS)
    while piece := response.read(_CHUNK_BYTES, decode_content=False):
        read += len(piece)
        while piece and len(unpacked) <= largest:
            seconds_until(ends)
            if not is_gzip:
                unpacked += piece
                break
            try:
                unpacked += decoder.decompress(piece, largest + 1 - len(unpacked))
            except zlib.error:
                raise FetchError("The response is not valid gzip.", response.status) from None
            # A file may consist of several members, one after the other.
            piece = decoder.unused_data
            if decoder.eof and piece:
                decoder = zlib.decompressobj(_GZIP_WBITS)
        if max(read, len(unpacked)) > largest:
            raise FetchError(f"The response is larger than {_size(largest)}.", response.status)
    if is_gzip and read and not decoder.eof:
        raise FetchError("The response is incomplete.", response.status)
    return bytes(unpacked)


def _size(count: int) -> str:
    return f"{count / 2**20:g} MB" if count >= 2**20 else f"{count / 2**10:g} kB" if count >= 2**10 else f"{count} bytes"
