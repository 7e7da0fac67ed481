"""What a route's view is: a class with a method for each verb, each described by `operation` for parser and document alike."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.http import HttpRequest
from django.http.request import RawPostDataException
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from cms_api.core.errors import BadRequest, TooLarge, UnsupportedMediaType
from cms_api.http import wire
from cms_api.http.multipart import Form, read_form
from cms_api.http.query import Query
from cms_api.http.sanitiser import read_json_object
from cms_api.http.serializers import InputSerializer

Method = TypeVar("Method", bound=Callable[..., Any])
Kind = Literal["one", "list", "deleted", "raw"]


@dataclass(frozen=True)
class Operation:
    """One verb of one route, as parsers and the OpenAPI document need it."""

    summary: str
    #: Documents the resource that comes back; its field names are what `fields=` may name.
    answer: type[BaseSerializer[Any]] | None = None
    kind: Kind = "one"
    query: Query = field(default_factory=Query)
    body: type[InputSerializer] | None = None
    #: Whether the body is multipart/form-data, with files, instead of JSON.
    multipart: bool = False
    #: What is made of the body before any transaction begins; the method finds it in `request.prepared()`.
    prepare: Callable[["ApiRequest"], Any] | None = None
    #: Whether an empty body is read as an empty object.
    body_optional: bool = False
    status: int = 200
    #: Further statuses with the same body, and what each means.
    also: tuple[tuple[int, str], ...] = ()
    #: Further statuses with a body of their own, what each means, and the resource in its `data`.
    instead: tuple[tuple[int, str, type[BaseSerializer[Any]]], ...] = ()
    description: str = ""


def operation(summary: str, **details: Any) -> Callable[[Method], Method]:
    """Describes a method of an Endpoint; see Operation."""

    def describe(method: Method) -> Method:
        method.operation = Operation(summary, **details)  # type: ignore[attr-defined]
        return method

    return describe


class NotModified(Exception):
    """The client's copy is still good."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


class ApiRequest:
    """An authorised request to an endpoint. Body and query are read when asked for: after the record was found."""

    __slots__ = ("_form", "_prepared", "http", "operation", "parameters", "partial", "token")

    def __init__(self, http: HttpRequest, operation: Operation, token: Any) -> None:
        self.http = http
        self.operation = operation
        self.token = token
        self.parameters = http.GET
        self.partial = http.method in {"PATCH", "PUT"}
        self._form: Form | None = None
        self._prepared: list[Any] = []

    @property
    def query(self) -> dict[str, Any]:
        """The operation's filters, checked."""
        return self.operation.query.read(self.parameters)

    def input(self) -> dict[str, Any]:
        """The body, validated by the operation's serializer; only what was sent where the method is partial."""
        assert self.operation.body is not None
        values = self.form().values() if self.operation.multipart else self.json()
        return self.operation.body.read(values, partial=self.partial)

    def form(self) -> Form:
        """The parts of a multipart body, read once."""
        if self._form is None:
            self._form = read_form(self.http, settings.API_MAX_UPLOAD_BYTES)
        return self._form

    def prepared(self) -> Any:
        """What the operation's `prepare` makes of the body; made once."""
        assert self.operation.prepare is not None
        if not self._prepared:
            self._prepared.append(self.operation.prepare(self))
        return self._prepared[0]

    def digest(self) -> bytes:
        """Stands for the body: the same where a client repeats it."""
        return self.form().digest() if self.operation.multipart else read_body(self.http, settings.API_MAX_JSON_BYTES)

    def json(self) -> dict[str, Any]:
        """The body's JSON object."""
        body = read_body(self.http, settings.API_MAX_JSON_BYTES)
        if not body and self.operation.body_optional:
            return {}
        kind = self.http.META.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        if kind not in {"", "application/json"}:
            raise UnsupportedMediaType
        return read_json_object(body)

    def unless_current(self, tag: str) -> None:
        """Raises NotModified where the client holds what the tag stands for."""
        held = self.http.META.get("HTTP_IF_NONE_MATCH")
        if held and wire.tag_matches(held, tag):
            raise NotModified(tag)


def read_body(http: HttpRequest, limit: int) -> bytes:
    """The raw body. Raises TooLarge before reading more than the limit."""
    try:
        announced = int(http.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise BadRequest("The Content-Length header is not a number.") from None
    if announced > limit:
        raise TooLarge
    try:
        return http.body
    except (OSError, RawPostDataException) as problem:
        raise BadRequest("The request body could not be read.") from problem


def discard_body(http: HttpRequest, limit: int) -> None:
    """Reads what is left of a refused body, if it is no longer than the limit, and keeps nothing of it.

    A client that is still sending when the connection is closed never sees the answer.
    """
    try:
        if int(http.META.get("CONTENT_LENGTH") or 0) <= limit:
            while http.read(1 << 16):
                pass
    except (OSError, ValueError, RawPostDataException):
        return


class Endpoint(APIView):
    """Base of the views under /api/v1.

    The gateway authorises a request and calls the method with an ApiRequest; DRF's own dispatch is not used, because every
    rule it would apply (authentication, throttling, permissions, negotiation) is decided by the module's declaration.
    """

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "patch"):
            cls.put = cls.patch  # type: ignore[attr-defined]
