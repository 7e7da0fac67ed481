"""The context of the documentation, the same in the admin and on the site.

The reference is long and changes only with a feature, a setting or a content type, so it is rendered once.
"""

from typing import Any, NamedTuple

import orjson
from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from cms_api.auth.services.idempotency import KEY_RETENTION, MAX_KEY_LENGTH
from cms_api.content.selectors import TYPES
from cms_api.core import versions
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http.query import DEFAULT_PER_PAGE, MAX_PER_PAGE

from ..answers import ERRORS
from ..openapi import current_document
from ..routing import PREFIX
from .reader import Reader, with_code
from .types import ORIGIN, Documentation


class Rendered(NamedTuple):
    """The parts of the page that are the same for everybody but for the site's address."""

    contents: str
    reference: str


def page_context(request: HttpRequest) -> dict[str, Any]:
    found = versions.load_once(FLAGS, _render_current, slot="documentation", also=(TYPES,))
    origin = f"{request.scheme}://{request.get_host()}"
    return {
        "contents": mark_safe(found.contents),
        "reference": _for_reader(found.reference, origin),
        "base": f"{origin}/{PREFIX}".rstrip("/"),
        "document_url": f"/{PREFIX}openapi.json",
        "errors": [(status, with_code(text)) for status, text in ERRORS.items()],
        "rate": settings.API_RATE_PER_MINUTE,
        "anonymous_rate": settings.API_ANON_RATE_PER_MINUTE,
        "default_per_page": DEFAULT_PER_PAGE,
        "max_per_page": MAX_PER_PAGE,
        "key_length": MAX_KEY_LENGTH,
        "kept_hours": int(KEY_RETENTION.total_seconds() // 3600),
    }


def render_documentation(documentation: Documentation) -> Rendered:
    context = {"documentation": documentation}
    return Rendered(
        render_to_string("gateway/documentation/contents.html", context),
        render_to_string("gateway/documentation/reference.html", context),
    )


def _render_current() -> Rendered:
    return render_documentation(Reader(orjson.loads(current_document())).read())


def _for_reader(text: str, origin: str) -> SafeString:
    """Put in the address that the reader has opened."""
    return mark_safe(text.replace(ORIGIN, escape(origin)))
