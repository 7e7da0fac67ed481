"""Responses at URLs that are secrets, such as the links in emails."""

from typing import TypeVar

from django.http.response import HttpResponseBase

R = TypeVar("R", bound=HttpResponseBase)


def keep_secret(response: R) -> R:
    """Keep the response out of caches and search engines, and its URL out of other sites' logs."""
    response.headers["Cache-Control"] = "no-store, private"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    # With no referrer at all, browsers would not send the form's origin either.
    response.headers["Referrer-Policy"] = "same-origin"
    return response
