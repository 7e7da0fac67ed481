"""Not there yet."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def claim(request: HttpRequest, **parts: Any) -> HttpResponse:
    raise Http404
