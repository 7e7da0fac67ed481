"""Finds the page of a request."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from wagtail import views

from ..selectors import site_of


def serve_page(request: HttpRequest, path: str) -> HttpResponseBase:
    """Serve the page at a path as Wagtail does, which looks the site and its root page up by two slow queries."""
    request._wagtail_site = site_of(request)  # type: ignore[attr-defined]
    answer: Any = views.serve(request, path)
    return answer
