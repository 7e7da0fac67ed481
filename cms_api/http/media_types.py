"""Checks the Content-Type of a body."""

from collections.abc import Collection

from django.http import HttpRequest

from cms_api.core.errors import UnsupportedMediaType

UTF_8 = {"utf-8", "utf8"}


def check_media_type(http: HttpRequest, accepted: Collection[str], refusal: type[UnsupportedMediaType]) -> None:
    """Raise `refusal` for another media type than those, and UnsupportedMediaType for a charset other than UTF-8."""
    if http.content_type not in accepted:
        raise refusal
    if http.content_params and http.content_params.get("charset", "utf-8").lower() not in UTF_8:
        raise UnsupportedMediaType("The charset of the request body must be UTF-8.")
