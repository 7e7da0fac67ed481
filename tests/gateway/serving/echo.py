"""A WSGI application for the tests of the server: it answers with what it was asked."""

import io
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.files import File

Start = Callable[..., Any]


def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    return PATHS.get(environ["PATH_INFO"], echo)(environ, start)


def echo(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    body = environ["wsgi.input"].read()
    found = {name: value for name, value in environ.items() if isinstance(value, str) and name != "wsgi.errors"}
    start("200 OK", [("Content-Type", "application/json"), ("X-Length", str(len(body)))])
    return [json.dumps(found).encode()]


def slow(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    time.sleep(float(environ["QUERY_STRING"]))
    start("200 OK", [])
    return [b"slept"]


def checking(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """A check of the database, which takes long."""
    return slow({"QUERY_STRING": "3"}, start)


def file(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """The part of the file that the query names: name, first byte, length."""
    name, first, length = environ["QUERY_STRING"].split(",")
    opened = open(name, "rb")  # noqa: SIM115
    opened.seek(int(first))
    start("206 Partial Content", [("Content-Length", length)])
    return environ["wsgi.file_wrapper"](opened)


def renamed(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """The file that the query names, with the name that it has in a storage, as Django's file fields have it."""
    path = Path(environ["QUERY_STRING"])
    start("200 OK", [("Content-Length", str(path.stat().st_size))])
    return environ["wsgi.file_wrapper"](File(path.open("rb"), name="stored/name"))


def unnamed(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return environ["wsgi.file_wrapper"](io.BytesIO(b"unnamed" * 10_000))


def unchanged(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """An answer without a body, with the length of the page that the client has."""
    start("304 Not Modified", [("Content-Length", "1000"), ("ETag", '"x"')])
    return [b""]


class Streamed:
    """Parts that are made one by one, as by Django's StreamingHttpResponse."""

    streaming = True

    def __iter__(self) -> Iterator[bytes]:
        for number in range(1000):
            yield b"%03d " % number * 256


def streamed(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    start("200 OK", [])
    return Streamed()


def failing(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    raise RuntimeError("planted")


class BreaksOff:
    """Parts of which the second cannot be made."""

    streaming = True

    def __iter__(self) -> Iterator[bytes]:
        yield b"first"
        raise RuntimeError("planted")


def breaking_off(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    start("200 OK", [("Content-Length", "100")])
    return BreaksOff()


PATHS = {
    **{"/slow": slow, "/readyz": checking, "/file": file, "/renamed": renamed, "/unnamed": unnamed, "/streamed": streamed},
    **{"/failing": failing, "/unchanged": unchanged, "/breaking-off": breaking_off},
}
