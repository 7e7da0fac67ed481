"""The WSGI application, for which no Content-Type header is an error."""

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

from cms_api.core.first_write import prepare_at_start


class Utf8Request(WSGIRequest):
    """A request whose query and forms are UTF-8, whatever charset the Content-Type names.

    Django decodes both with any codec of Python's while it constructs the request: where that fails (`base64`, `idna`), or the
    parameters cannot be parsed, no middleware could answer.
    """

    def _set_content_type_params(self, meta: dict[str, str]) -> None:
        header = meta.get("CONTENT_TYPE", "")
        try:
            self.content_type, self.content_params = parse_header_parameters(header)
        except (LookupError, ValueError):
            meta["CONTENT_TYPE"] = self.content_type = header.partition(";")[0].strip().lower()
            self.content_params = {"charset": "unknown"}


class Application(WSGIHandler):
    request_class = Utf8Request


def make_application() -> Application:
    """Set Django up, and return the application."""
    django.setup(set_prefix=False)
    # It reads models too.
    from .loading import load_site

    load_site()
    prepare_at_start()
    return Application()
