"""Not there yet."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def directory(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def category(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def listing(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404
