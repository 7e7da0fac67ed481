"""The outermost middleware: a request id for everything, and the short way for the API and the health checks."""

import re
import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from cms_api.core import versions
from cms_api.flags.selectors import site_timezone

from . import dispatch, health

Handler = Callable[[HttpRequest], HttpResponse]

_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)


class RequestIdMiddleware:
    """Gives every answer an X-Request-Id, the client's own where it sent a usable one, and begins the versions' snapshot."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        versions.forget()
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        response = self.get_response(request)
        response.headers["X-Request-Id"] = sent if _ACCEPTED_ID.fullmatch(sent) else secrets.token_hex(12)
        return response


class ApiMiddleware:
    """Answers /api/ and the health checks here: sessions, CSRF and messages are for people."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if path.startswith("/api/") or path == "/api":
            return dispatch.respond(request)
        if path in health.CHECKS:
            return health.CHECKS[path](request)
        return self.get_response(request)


class SiteTimezoneMiddleware:
    """Serves the admin and the public pages in the site's own time zone."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with timezone.override(site_timezone()):
            return self.get_response(request)
