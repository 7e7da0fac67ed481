"""The base of route views: a class with a method per HTTP verb; `operation` describes each for the parser and OpenAPI."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.http import HttpRequest
from django.http.request import RawPostDataException
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from cms_api.core.errors import BadRequest, TooLarge, UnsupportedMediaType
from cms_api.http import wire
from cms_api.http.media_types import check_media_type
from cms_api.http.multipart import Form, read_form
from cms_api.http.query import Query
from cms_api.http.sanitiser import read_json_object
from cms_api.http.serializers import InputSerializer

Method = TypeVar("Method", bound=Callable[..., Any])
#: `rows` are all rows of a report in `data`, without pages.
Kind = Literal["one", "list", "rows", "deleted", "raw"]


@dataclass(frozen=True)
class Operation:
    """One verb of one route, as parsers and the OpenAPI document need it."""

    summary: str
    #: The method of HTTP, in lower case.
    verb: str = "get"
    #: Documents the resource in the response; its field names are the values that `fields=` accepts.
    answer: type[BaseSerializer[Any]] | None = None
    kind: Kind = "one"
    #: The keys of the response's `meta`, beside a single record or rows: the resource of each, or its schema with `examples`.
    meta: Mapping[str, type[BaseSerializer[Any]] | Mapping[str, Any]] = field(default_factory=dict)
    query: Query = field(default_factory=Query)
    body: type[InputSerializer] | None = None
    #: Whether the body is multipart/form-data, with files, instead of JSON.
    multipart: bool = False
    #: Receives the body before any transaction begins; the method gets the result from `request.received()`.
    receive: Callable[["ApiRequest"], Any] | None = None
    #: Whether PATCH and PUT need all keys that POST would need.
    whole: bool = False
    #: Whether an empty body is read as an empty object.
    body_optional: bool = False
    status: int = 200
    #: Further status codes with the same body, and the meaning of each.
    also: tuple[tuple[int, str], ...] = ()
    #: Further status codes with a body of their own: the meaning of each, and the resource in its `data`.
    instead: tuple[tuple[int, str, type[BaseSerializer[Any]]], ...] = ()
    description: str = ""


def operation(summary: str, **details: Any) -> Callable[[Method], Method]:
    """Describe a method of an Endpoint; see Operation."""

    def describe(method: Method) -> Method:
        method.operation = Operation(summary, method.__name__, **details)  # type: ignore[attr-defined]
        return method

    return describe


class NotModified(Exception):
    """The client's copy is still current."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


class ApiRequest:
    """An authorised request to an endpoint. Body and query are parsed on access, so that a missing record is reported first."""

    __slots__ = ("_form", "_received", "http", "ignored", "operation", "parameters", "partial", "token")

    def __init__(self, http: HttpRequest, operation: Operation, token: Any) -> None:
        self.http = http
        self.operation = operation
        self.token = token
        self.parameters = http.GET
        self.partial = http.method in {"PATCH", "PUT"} and not operation.whole
        #: Dotted paths of the keys of the body that were dropped; a create or update answers with them.
        self.ignored: list[str] = []
        self._form: Form | None = None
        self._received: list[Any] = []

    @property
    def query(self) -> dict[str, Any]:
        """Return the operation's filters, validated."""
        return self.operation.query.read(self.parameters)

    def input(self) -> dict[str, Any]:
        """Return the body as validated by the operation's serializer; only the keys that were sent if the method is partial."""
        assert self.operation.body is not None
        values = self.form().values() if self.operation.multipart else self.json()
        read = self.operation.body.read(values, partial=self.partial)
        self.ignored = self.operation.body.unknown(values)
        return read

    def form(self) -> Form:
        """Return the parts of a multipart body, read once."""
        if self._form is None:
            self._form = read_form(self.http, settings.API_MAX_UPLOAD_BYTES)
        return self._form

    def received(self) -> Any:
        """Return the result of the operation's `receive` on the body, computed once."""
        assert self.operation.receive is not None
        if not self._received:
            self._received.append(self.operation.receive(self))
        return self._received[0]

    def digest(self) -> bytes:
        """Return a digest of the body, the same if a client repeats the request."""
        return self.form().digest() if self.operation.multipart else read_body(self.http, settings.API_MAX_JSON_BYTES)

    def json(self) -> dict[str, Any]:
        """Return the body's JSON object."""
        body = read_body(self.http, settings.API_MAX_JSON_BYTES)
        if not body and self.operation.body_optional:
            return {}
        check_media_type(self.http, {"", "application/json"}, UnsupportedMediaType)
        return read_json_object(body)

    def unless_current(self, tag: str) -> None:
        """Raise NotModified if the client's copy has this ETag."""
        if_none_match = self.http.META.get("HTTP_IF_NONE_MATCH")
        if if_none_match and wire.tag_matches(if_none_match, tag):
            raise NotModified(tag)


def read_body(http: HttpRequest, limit: int) -> bytes:
    """Return the raw body. Raises TooLarge before reading more than `limit` bytes."""
    try:
        length = int(http.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise BadRequest("The Content-Length header is not a number.") from None
    if length > limit:
        raise TooLarge
    try:
        return http.body
    except (OSError, RawPostDataException) as problem:
        raise BadRequest("The request body could not be read.") from problem


def discard_body(http: HttpRequest, limit: int) -> None:
    """Read and discard the rest of a refused body, if it is no longer than the limit.

    A client that is still sending when the connection is closed never sees the response.
    """
    try:
        if int(http.META.get("CONTENT_LENGTH") or 0) <= limit:
            while http.read(1 << 16):
                pass
    except (OSError, ValueError, RawPostDataException):
        return


class Endpoint(APIView):
    """Base of the views under /api/v1.

    The gateway authorises a request and calls the method with an ApiRequest. DRF's own dispatch is not used, because the
    module's declaration decides everything it would (authentication, throttling, permissions, negotiation).
    """

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "patch"):
            cls.put = cls.patch  # type: ignore[attr-defined]
