"""The WSGI application, for which no Content-Type header is an error. It answers messages of pages' scripts together."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.core.signals import request_finished, request_started
from django.urls import set_script_prefix
from django.utils.http import parse_header_parameters

from cms_api.core import registry
from cms_api.core.first_write import prepare_at_start

if TYPE_CHECKING:
    from .messages import Answer, ArrivedMessage, Environ


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

    def __init__(self) -> None:
        super().__init__()
        # It reads models, which are there once Django is set up.
        from .messages import MessageAnswers

        self._messages = MessageAnswers(self._answer)

    @property
    def messages(self) -> Collection[str]:
        """Return the paths to which scripts of pages send messages."""
        return registry.beacons().keys()

    def answer_messages(self, messages: Sequence["ArrivedMessage"]) -> "list[Answer]":
        """Return the status, headers and body for each of some messages that have arrived.

        They share a snapshot of versions, and a check of the database's connection.
        """
        set_script_prefix("/")
        request_started.send(sender=type(self), environ={})
        try:
            return self._messages.answer_all(messages)
        finally:
            request_finished.send(sender=type(self))

    def _answer(self, environ: "Environ") -> "Answer":
        response = self.get_response(self.request_class(environ))
        cookies = [("Set-Cookie", cookie.output(header="")) for cookie in response.cookies.values()]
        return response.status_code, [*response.items(), *cookies], b"".join(response)


def make_application() -> Application:
    """Set Django up, and return the application."""
    django.setup(set_prefix=False)
    # It reads models too.
    from .loading import load_site

    load_site()
    prepare_at_start()
    return Application()
