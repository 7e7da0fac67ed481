"""Reads a multipart/form-data body: fields as text, files streamed to disk unless small, with a size limit from the start."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.http.request import UnreadablePostError
from django.utils.datastructures import MultiValueDict

from cms_api.core import outages
from cms_api.core.errors import BadRequest, Invalid, NotMultipart, TooLarge, attribute
from cms_api.http.media_types import check_media_type
from cms_api.http.sanitiser import inspect

#: Bytes allowed for boundaries, headers and fields, besides the file.
OVERHEAD_BYTES = 128 * 1024

MALFORMED = "The request body is not valid multipart/form-data."


@dataclass
class Form:
    """The parts of a body by name."""

    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, UploadedFile] = field(default_factory=dict)

    def digest(self) -> bytes:
        """Return a digest that depends on fields and files but not on the boundary; files are read in chunks."""
        digest = hashlib.sha256()
        parts = [(name, text.encode("utf-8", "surrogatepass")) for name, text in self.fields.items()]
        for name, file in self.files.items():
            inner = hashlib.sha256(f"{file.name}\0".encode("utf-8", "surrogatepass"))
            for chunk in file.chunks():
                inner.update(chunk)
            file.seek(0)
            parts.append((f"{name}\0file", inner.digest()))
        for name, value in sorted(parts):
            digest.update(f"{name}\0{len(value)}\0".encode("utf-8", "surrogatepass") + value)
        return digest.digest()

    def values(self) -> dict[str, Any]:
        """Return the fields and files for a serializer. Raises Invalid for text that cannot be stored."""
        inspect(dict(self.fields))
        spoilt = {name: text for name, text in self.fields.items() if "\ufffd" in text}
        if spoilt:
            raise Invalid({name: f"The {attribute(name)} contains characters that are not allowed." for name in spoilt})
        return {**self.fields, **self.files}


class _Ceiling(FileUploadHandler):
    """Stops reading a body whose files together exceed the limit."""

    def __init__(self, request: HttpRequest, limit: int) -> None:
        super().__init__(request)
        self.left = limit

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.left -= len(raw_data)
        if self.left < 0:
            raise TooLarge
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def read_form(http: HttpRequest, limit: int) -> Form:
    """Return the body's fields and files; the request closes the files.

    Raises NotMultipart, TooLarge if the files exceed `limit`, BadRequest if the body cannot be parsed, and Invalid if two of its
    parts have the same name.
    """
    check_media_type(http, {"multipart/form-data"}, NotMultipart)
    try:
        length = int(http.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise BadRequest("The Content-Length header is not a number.") from None
    if length > limit + OVERHEAD_BYTES:
        raise TooLarge
    handlers = [_Ceiling(http, limit), MemoryFileUploadHandler(http), TemporaryFileUploadHandler(http)]
    try:
        post, files = MultiPartParser(http.META, http, handlers, "utf-8").parse()
    except RequestDataTooBig:
        raise TooLarge from None
    except (MultiPartParserError, UnreadablePostError, OSError, UnicodeError, ValueError) as problem:
        if outages.find(problem):
            raise
        raise BadRequest(MALFORMED) from problem
    except SuspiciousOperation:
        raise BadRequest("The request body has too many parts.") from None
    # Later reads of the request get this form, and its files are closed with the request.
    vars(http).update(_post=post, _files=files)
    names = Counter(chain.from_iterable([name] * len(parts) for values in (post, files) for name, parts in values.lists()))
    repeated = {_storable(name): f"The {attribute(_storable(name))} may be sent only once." for name in names if names[name] > 1}
    if repeated:
        raise Invalid(repeated)
    return Form(_by_name(post), _by_name(files))


def _by_name(values: MultiValueDict) -> dict[str, Any]:
    return {str(name): values[name] for name in values}


def _storable(name: str) -> str:
    return name.replace("\0", "").encode("utf-8", "replace").decode()
