"""Not there yet."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def submit(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def listings(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def listing(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def archive(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404


def buy(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404
