"""The request that is being answered, for code that is called far from it and must know who has caused what happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)


@contextmanager
def answering(request: HttpRequest | None) -> Iterator[None]:
    """Declare the request of a visitor that is answered in this context; None for one of a machine, such as a provider's."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


def current_request() -> HttpRequest | None:
    """Return the request of a visitor that is being answered; None in the API, in jobs and in commands."""
    return _request.get()
