"""The error for what is not there, in the API and on pages. It needs Django, which processes that only read do without."""

from typing import TypeVar

from django.http import Http404

from .errors import ApiError

T = TypeVar("T")


class NotFound(ApiError, Http404):
    """Also raised for anything switched off: an unknown route and a hidden one get the same response, byte for byte.

    Where a page raises it, visitors get the page of what is not found.
    """

    status, message = 404, "Not Found."


def found_or_404(found: T | None) -> T:
    """Return what was found. Raises NotFound if that is None."""
    if found is None:
        raise NotFound
    return found
