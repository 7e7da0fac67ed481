"""The outermost middleware: request ids for everything, and the short path for the API and the health checks."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from cms_api.accounts.services.sessions import check_session
from cms_api.core import registry, versions
from cms_api.core.errors import BadRequest
from cms_api.flags.selectors import is_on, site_timezone
from cms_api.http import page_cache
from cms_api.http.current import answering
from cms_api.http.secret_urls import is_secret, keep_secret, looks_secret

from . import dispatch, health, logs
from .admin_requests import ADMIN

Handler = Callable[[HttpRequest], HttpResponse]

#: A name of 253 characters, a colon and a port.
_LONGEST_HOST = 259


class RequestIdMiddleware:
    """Gives every response an X-Request-Id, the client's own if it is usable, a line in the log, and a snapshot of versions."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        versions.forget()
        facts = logs.begin(logs.request_id(request.META.get("HTTP_X_REQUEST_ID", "")))
        response = self.get_response(request)
        response.headers["X-Request-Id"] = facts.request_id
        logs.log_answer(facts, request, response)
        return response


class HostMiddleware:
    """Refuses a Host that is not the site's, before anything is cached or redirected; health checks may have any."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in health.CHECKS:
            try:
                if len(request.get_host()) > _LONGEST_HOST:
                    raise DisallowedHost("The Host header is too long.")
            except DisallowedHost:
                if dispatch.is_api(request.path_info):
                    return dispatch.refuse(request, BadRequest("The Host header is not allowed."))
                raise
        return self.get_response(request)


class CookiesMiddleware:
    """Drops cookies with a NUL, which no browser sends: the key of a session is looked up in the database."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # In a header it can only be escaped.
        if "\\000" in request.META.get("HTTP_COOKIE", ""):
            request.COOKIES = {name: value for name, value in request.COOKIES.items() if "\0" not in value}
        return self.get_response(request)


class ApiMiddleware:
    """Answers /api/, the health checks and messages of scripts here: sessions and CSRF are only for people."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if dispatch.is_api(path):
            return dispatch.respond(request)
        if path in health.CHECKS:
            return health.CHECKS[path](request)
        module, beacon = registry.beacons().get(path, (None, None))
        if module is not None and beacon is not None and is_on(module.feature):
            return dispatch.respond_to_message(request, beacon)
        with answering(request):
            return self.get_response(request)


class StaffSessionMiddleware:
    """Ends the sessions of staff that are over, before a view sees who is signed in."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES:
            path = request.path_info
            # Open editors report that they are open, whether or not anybody sits before them.
            check_session(request, is_admin=path.startswith(ADMIN), is_use=not path.startswith(f"{ADMIN}editing-sessions/"))
        return self.get_response(request)


class PageCacheMiddleware:
    """Serves cached pages to visitors without a session; for those with one, each page is made, and not cached."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Files are not pages, and need no versions.
        is_file = request.path_info.startswith(settings.MEDIA_URL)
        response = self.get_response(request) if is_file else page_cache.answer(request, self.get_response)
        is_missing = is_file and response.status_code == 404
        response.headers.setdefault("Cache-Control", "no-store" if is_missing else "private, no-cache")
        return response


class SecretPagesMiddleware:
    """Keeps every answer at an address with a secret out of caches, search engines and logs, errors and redirects included."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # A page of somebody's may have an address that looks like one with a secret.
        is_kept = is_secret(request.resolver_match) or (response.status_code != 200 and looks_secret(request))
        return keep_secret(response) if is_kept else response


class SiteTimezoneMiddleware:
    """Serves the admin and the public pages in the site's time zone."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(settings.MEDIA_URL):
            return self.get_response(request)
        with timezone.override(site_timezone()):
            return self.get_response(request)
