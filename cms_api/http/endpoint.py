"""The base of route views: a class with a method per HTTP verb; `operation` describes each for the parser and OpenAPI."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, QueryDict
from django.http.request import RawPostDataException
from django.utils import timezone
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from cms_api.core.errors import BadRequest, TooLarge, UnsupportedMediaType
from cms_api.http import wire
from cms_api.http.media_types import check_media_type
from cms_api.http.multipart import Form, read_form
from cms_api.http.query import Paging, Query, selected_fields
from cms_api.http.sanitiser import read_json_object
from cms_api.http.serializers import InputSerializer

Method = TypeVar("Method", bound=Callable[..., Any])
#: `rows` are all rows of a report in `data`, without pages.
Kind = Literal["one", "list", "rows", "deleted", "raw"]

#: Query strings of which a process keeps what they ask for.
CACHED_QUERIES = 500


@dataclass(frozen=True, eq=False)
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
    #: Receives the body before any transaction begins; the method gets the result from `request.receive_once()`.
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

    @cached_property
    def field_names(self) -> frozenset[str]:
        """Return the top-level keys of its records, which `fields=` accepts."""
        answer: Any = self.answer
        return frozenset(answer().fields) if answer else frozenset()


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


class QueryString:
    """The query string of requests to an operation. Each part is read and checked when it is first asked for, and then kept."""

    def __init__(self, parameters: QueryDict, operation: Operation) -> None:
        self.parameters = parameters
        self.operation = operation
        self._without: dict[str, str] = {}

    @cached_property
    def filters(self) -> Mapping[str, Any]:
        """Return the values of the operation's filters. Raises Invalid."""
        return MappingProxyType(self.operation.query.read(self.parameters))

    @cached_property
    def paging(self) -> Paging:
        """Return the part of a list that is asked for, and its order. Raises Invalid."""
        assert self.operation.query.sort is not None
        return Paging.read(self.parameters, self.operation.query.sort)

    @cached_property
    def fields(self) -> frozenset[str] | None:
        """Return the top-level keys that are asked for, or None for all of them. Raises Invalid."""
        return selected_fields(self.parameters, lambda: self.operation.field_names)

    def without(self, name: str) -> str:
        """Return the query string without a parameter."""
        if name not in self._without:
            others = [(key, value) for key, values in self.parameters.lists() for value in values if key != name]
            self._without[name] = urlencode(others)
        return self._without[name]


@lru_cache(maxsize=CACHED_QUERIES)
def _query_string(text: str, encoding: str | None, operation: Operation, site_timezone: tzinfo) -> QueryString:
    """Return the query string as WSGI passes it on; bare dates in it are read in the site's timezone."""
    return QueryString(QueryDict(text.encode("iso-8859-1"), encoding=encoding), operation)


class ApiRequest:
    """An authorised request to an endpoint. Body and query are parsed on access, so that a missing record is reported first."""

    __slots__ = ("_form", "_received", "asked", "http", "ignored", "operation", "parameters", "partial", "token")

    def __init__(self, http: HttpRequest, operation: Operation, token: Any) -> None:
        self.http = http
        self.operation = operation
        #: The `Grant` of the token; None on a public route without one.
        self.token = token
        text = http.META.get("QUERY_STRING", "")
        self.asked = _query_string(text, http.encoding, operation, timezone.get_current_timezone())
        self.parameters = self.asked.parameters
        self.partial = http.method in {"PATCH", "PUT"} and not operation.whole
        #: Dotted paths of the keys of the body that were dropped; a create or update answers with them.
        self.ignored: list[str] = []
        self._form: Form | None = None
        self._received: list[Any] = []

    @property
    def query(self) -> Mapping[str, Any]:
        """Return the operation's filters, validated."""
        return self.asked.filters

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

    def receive_once(self) -> Any:
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
