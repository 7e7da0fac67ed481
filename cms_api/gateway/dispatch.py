"""Answers requests under /api/: runs the contract's checks in order, then the endpoint; every response is JSON."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from cms_api.auth.selectors import client_address, client_ip, grant_for
from cms_api.auth.services.budgets import spend
from cms_api.auth.services.idempotency import answer_once
from cms_api.auth.services.tokens import stamp_use
from cms_api.auth.types import Grant
from cms_api.core import outages
from cms_api.core.errors import (
    ApiError,
    BadRequest,
    MethodNotAllowed,
    MissingAbility,
    TooLarge,
    TooManyAttempts,
    Unauthenticated,
    Unavailable,
    UriTooLong,
)
from cms_api.core.module import ANY, PUBLIC
from cms_api.core.not_found import NotFound
from cms_api.flags import selectors as flags
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest, Endpoint, NotModified, Operation, discard_body
from cms_api.http.page_messages import MAX_MESSAGE_BYTES, Beacon, PageMessage
from cms_api.http.wire import Answer

from . import logs, routing

logger = logging.getLogger(__name__)

#: Statuses of refusals sent before the client is identified: less of their request body is discarded.
_UNKNOWN_CLIENT = {401, 404, 405, 429}
#: The longest body that is read and discarded with a refusal, by whether the client is unknown.
_DISCARDED_BYTES = {True: settings.API_MAX_JSON_BYTES, False: 2 * settings.API_MAX_UPLOAD_BYTES}

#: Methods that change nothing.
_SAFE = {"GET", "HEAD"}

#: Characters of the path, without percent-encoding, and the query.
MAX_URI_CHARACTERS = 8192

_COMMON = {"Cache-Control": "private, no-cache", "Vary": "Authorization", "X-Content-Type-Options": "nosniff"}


def is_api(path: str) -> bool:
    return path.startswith("/api/") or path == "/api"


def refuse(http: HttpRequest, refusal: ApiError, headers: Mapping[str, str] = _COMMON) -> HttpResponse:
    """Answer a request under /api/, or a page's message, with an error."""
    if http.method not in _SAFE:
        discard_body(http, _DISCARDED_BYTES[refusal.status in _UNKNOWN_CLIENT or not is_api(http.path_info)])
    return _write(wire.dump(refusal.body()), refusal.status, http, {**headers, **refusal.headers})


def respond(http: HttpRequest) -> HttpResponse:
    """Answer a request under /api/, whatever error occurs."""
    headers = dict(_COMMON)
    try:
        return _respond(_answer(http, headers), http, headers)
    except NotModified as current:
        return HttpResponse(status=304, content_type="application/json", headers={**headers, "ETag": current.tag})
    except Exception as problem:
        return _answer_error(problem, http, headers)


def respond_to_message(http: HttpRequest, beacon: Beacon) -> HttpResponse:
    """Answer a message of a page's script; errors have the shape of the API's."""
    try:
        beacon(_read_message(http))
    except Exception as problem:
        return _answer_error(problem, http, _COMMON)
    logs.current().is_quiet = True
    return HttpResponse(status=204)


def _read_message(http: HttpRequest) -> PageMessage:
    """Return the message of a request. One that is said to be too large is not read."""
    if http.method != "POST":
        raise MethodNotAllowed(["POST"])
    length = http.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > MAX_MESSAGE_BYTES:
        raise TooLarge
    try:
        body = http.body
    except OSError:
        raise BadRequest("The message was interrupted.") from None
    address = client_address(http.META.get("REMOTE_ADDR", ""), http.headers.get("X-Forwarded-For", ""))
    return PageMessage(address, http.headers, body)


def _answer_error(problem: Exception, http: HttpRequest, headers: Mapping[str, str]) -> HttpResponse:
    """Return the response to an error, which is being handled."""
    if isinstance(problem, ApiError):
        return refuse(http, problem, headers)
    if isinstance(problem, SuspiciousOperation):
        return _write(wire.dump(BadRequest("The request could not be read.").body()), 400, http, headers)
    logger.exception("%s %s failed.", http.method, http.path)
    if outage := outages.find(problem):
        return refuse(http, Unavailable(outage.message, headers={"Retry-After": str(outage.retry_after)}), headers)
    got_request_exception.send(sender=None, request=http)
    return _write(wire.dump(ApiError().body()), 500, http, headers)


def _answer(http: HttpRequest, headers: dict[str, str]) -> Answer:
    if len(http.META["PATH_INFO"]) + len(http.META["QUERY_STRING"]) >= MAX_URI_CHARACTERS:
        raise UriTooLong(f"The path and query may not be longer than {MAX_URI_CHARACTERS} characters.")
    match = routing.find(http.path_info)
    if not flags.is_on("api") or match is None or not flags.is_on(match.feature):
        raise NotFound
    method = http.method or ""
    facts = logs.current()
    facts.route = f"/{routing.PREFIX}{match.route.path}"
    if method not in match.route.methods:
        raise MethodNotAllowed(list(match.route.methods))
    ability = match.route.ability(method)
    grant = _authenticate(http, ability, headers)
    facts.token_id = grant.id if grant else None
    handler = _handler(match, method, ability, grant)
    timezone.activate(flags.site_timezone())
    operation: Operation = handler.operation  # type: ignore[attr-defined]
    request = ApiRequest(http, operation, grant)
    key = http.META.get("HTTP_IDEMPOTENCY_KEY")
    if key and method == "POST" and grant:
        return answer_once(
            grant=grant,
            key=key,
            # With or without a slash at the end, it is one address.
            path=http.path_info.removesuffix("/"),
            body=request.digest(),
            receive=request.receive_once if operation.receive else None,
            work=lambda: _handle(handler, request, match.arguments),
        )
    return _handle(handler, request, match.arguments)


def _handler(match: routing.Match, method: str, ability: str, grant: Grant | None) -> Callable[..., Answer]:
    """Return the method of the view that answers. Raises MissingAbility if the token may not call it."""
    endpoint: Endpoint | None = match.endpoint
    if grant and ability not in {PUBLIC, ANY}:
        if grant.restriction:
            endpoint = routing.restricted_view(grant.restriction, match.route)
        elif ability not in grant.abilities:
            raise MissingAbility(ability)
    handler: Callable[..., Answer] | None = getattr(endpoint, {"HEAD": "get", "PUT": "patch"}.get(method, method.lower()), None)
    if handler is None:
        raise MissingAbility(ability)
    return handler


def _handle(handler: Callable[..., Answer], request: ApiRequest, arguments: Mapping[str, Any]) -> Answer:
    answer = handler(request, **arguments)
    return wire.with_meta(answer, ignored=request.ignored) if request.ignored else answer


def _authenticate(http: HttpRequest, ability: str, headers: dict[str, str]) -> Grant | None:
    """Return the token and charge its budget; None on a public route, where the address's budget is charged."""
    try:
        grant = grant_for(http.META.get("HTTP_AUTHORIZATION", ""))
    except Unauthenticated:
        _charge(f"ip:{client_ip(http)}", settings.API_ANON_RATE_PER_MINUTE, headers)
        if ability == PUBLIC:
            return None
        raise
    _charge(f"token:{grant.id}", settings.API_RATE_PER_MINUTE, headers)
    stamp_use(grant)
    return grant


def _charge(key: str, limit: int, headers: dict[str, str]) -> None:
    """Charge the request to a budget. Raises TooManyAttempts."""
    spent = spend(key, limit)
    headers.update(spent.headers())
    if not spent.allowed:
        raise TooManyAttempts


def _respond(answer: Answer, http: HttpRequest, headers: dict[str, str]) -> HttpResponse:
    headers.update(answer.headers)
    if answer.status == 200 and http.method in _SAFE:
        tag = answer.tag or wire.entity_tag(answer.body)
        if_none_match = http.META.get("HTTP_IF_NONE_MATCH")
        if if_none_match and wire.tag_matches(if_none_match, tag):
            raise NotModified(tag)
        headers["ETag"] = tag
    return _write(answer.body, answer.status, http, headers)


def _write(body: bytes, status: int, http: HttpRequest, headers: Mapping[str, str]) -> HttpResponse:
    response = HttpResponse(
        b"" if http.method == "HEAD" else body, status=status, content_type="application/json", headers=headers
    )
    response["Content-Length"] = str(len(body))
    return response
