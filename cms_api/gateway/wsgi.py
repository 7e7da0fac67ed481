"""The WSGI application, for which no Content-Type header is an error, and forms are UTF-8 whatever charset it names."""

from collections.abc import Callable
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler
from django.utils.http import parse_header_parameters

from cms_api.core.first_write import prepare_at_start
from cms_api.http.media_types import UTF_8


class Application(WSGIHandler):
    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if header := environ.get("CONTENT_TYPE"):
            environ["CONTENT_TYPE"] = readable(header)
        return super().__call__(environ, start_response)


def readable(header: str) -> str:
    """Return a Content-Type that Django can use. A charset other than UTF-8 is called "unknown".

    Django decodes queries and forms with any codec of Python's while it constructs the request. Where that fails (`base64`), or
    parameters cannot be parsed, no middleware could answer.
    """
    try:
        media_type, parameters = parse_header_parameters(header)
    except (LookupError, ValueError):
        return f"{header.partition(';')[0].strip().lower()}; charset=unknown"
    if parameters.get("charset", "utf-8").lower() in UTF_8:
        return header
    boundary = f'; boundary="{parameters["boundary"]}"' if "boundary" in parameters else ""
    return f"{media_type}; charset=unknown{boundary}"


def make_application() -> Application:
    """Set Django up, and return the application."""
    django.setup(set_prefix=False)
    # It reads models too.
    from .loading import load_site

    load_site()
    prepare_at_start()
    return Application()
