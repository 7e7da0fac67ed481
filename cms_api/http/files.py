"""Answers with a stored file, or a range of it, that are read while they are sent, whether from a disk or an object storage."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from .ranges import Unsatisfiable, wanted_range


class Section(Protocol):
    """Consecutive bytes of a file, read piece by piece."""

    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Stored:
    """An existing file."""

    name: str
    size: int
    modified: datetime
    #: A strong ETag, including its quotation marks.
    tag: str


class ServedStorage(Protocol):
    """The additions to Django's storage interface that an answer with a file needs."""

    def find(self, name: str) -> Stored | None:
        """Return the file with this name, or None; a folder is not a file."""

    def section(self, stored: Stored, start: int, length: int) -> Section:
        """Return bytes of a file without loading it whole. Raises FileNotFoundError if it has been deleted meanwhile."""


def answer_file(request: HttpRequest, storage: ServedStorage, stored: Stored, headers: Mapping[str, str]) -> HttpResponseBase:
    """Return the file, the requested range of it (206 or 416), or 304 if the visitor's copy is current.

    `headers` are those of the file, such as its Content-Type. Raises Http404 if it has been deleted meanwhile.
    """
    modified = int(stored.modified.timestamp())
    sent = {**headers, "Accept-Ranges": "bytes", "ETag": stored.tag, "Last-Modified": http_date(modified)}
    whole = HttpResponse(headers={**sent, "Content-Length": str(stored.size)})
    conditional = get_conditional_response(request, stored.tag, modified, whole)
    if conditional and conditional is not whole:
        return conditional
    if request.method == "HEAD":
        return whole
    try:
        part = wanted_range(request, stored.size, stored.tag, modified)
    except Unsatisfiable:
        return HttpResponse(status=416, headers={**sent, "Content-Range": f"bytes */{stored.size}"})
    start, end = part or (0, stored.size - 1)
    try:
        section = storage.section(stored, start, end - start + 1)
    except FileNotFoundError as problem:
        raise Http404 from problem
    response = FileResponse(section, status=206 if part else 200)
    if part:
        sent["Content-Range"] = f"bytes {start}-{end}/{stored.size}"
    for name, value in {**sent, "Content-Length": str(end - start + 1)}.items():
        response.headers[name] = value
    if "Content-Disposition" not in sent:
        del response.headers["Content-Disposition"]
    return response
