"""Finds the page of a request."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.urls import resolve
from wagtail import views
from wagtail.models import Page


class SlashMiddleware(CommonMiddleware):
    """Django's middleware, which redirects an address without its last slash only where there is a page; the others are 404.

    Wagtail's pattern matches every address, so that Django would redirect unknown ones, and those of modules that are off.
    """

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        if not super().should_redirect_with_slash(request):
            return False
        path = f"{request.path_info}/"
        if resolve(path).func is not serve_page:
            return True
        return Page.route_for_request(request, path) is not None


def serve_page(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve the page at a path as Wagtail does."""
    answer: Any = views.serve(request, path)
    return answer
