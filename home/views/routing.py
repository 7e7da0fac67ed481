"""Finds the page of a request."""

from typing import Any

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.http import escape_leading_slashes
from wagtail import views
from wagtail.models import Page


class SlashMiddleware(CommonMiddleware):
    """Leads to the declared address, with or without its last slash. Those of Wagtail's pages have one.

    GET and HEAD are redirected. Other requests are answered, since not all clients repeat them at another address.
    """

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        answer = super().process_request(request)
        if answer is not None or (match := _other_address(request)) is None:
            return answer
        add_slash = not request.path_info.endswith("/")
        if request.method not in {"GET", "HEAD"}:
            request.path, request.path_info = (
                f"{path}/" if add_slash else path.removesuffix("/") for path in (request.path, request.path_info)
            )
            return None
        # For those who treat secret addresses apart.
        request.resolver_match = match
        path, mark, query = request.get_full_path().partition("?")
        path = f"{path}/" if add_slash else path.removesuffix("/")
        return HttpResponsePermanentRedirect(escape_leading_slashes(path + mark + query))

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Return False: since Wagtail's pattern matches any address, Django would also redirect unknown ones."""
        return False


def _other_address(request: HttpRequest) -> ResolverMatch | None:
    """Return the route with or without a last slash, unlike the request, if only that leads somewhere."""
    path = request.path_info
    if _find_route(path) is not None or path == "/":
        return None
    if path.endswith("/"):
        return _find_route(path.removesuffix("/"))
    if (match := _find_route(f"{path}/")) is not None:
        return match
    with_slash = _resolve(f"{path}/")
    return with_slash if with_slash and Page.route_for_request(request, f"{path}/") is not None else None


def _find_route(path: str) -> ResolverMatch | None:
    """Return the route of a path, unless it is that of all of Wagtail's pages."""
    match = _resolve(path)
    return match if match and match.func is not serve_page else None


def _resolve(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None


def serve_page(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve the page at a path as Wagtail does."""
    answer: Any = views.serve(request, path)
    return answer
