"""Answers errors that no view and no middleware has handled: Django's `handler500`."""

import sys

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from cms_api.core import outages


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the page of an outage, or of a mistake in the code; neither needs the database."""
    outage = outages.find(sys.exc_info()[1])
    if outage is None:
        return defaults.server_error(request)
    headers = {"Retry-After": str(outage.retry_after), "Cache-Control": "no-store"}
    return HttpResponse(render_to_string("503.html", {"outage": outage}), status=503, headers=headers)
