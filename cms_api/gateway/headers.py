"""The security headers of every response: one table by the part of the site.

Cached pages are shared, so their policy cannot have a nonce: no page has an inline script, and the only inline style is that of
the error pages, which is allowed by its hash. Views may answer with stricter headers of their own.
"""

from collections.abc import Callable, Mapping

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from cms_api.accounts.selectors import are_available

from . import dispatch, health
from .admin_requests import ADMIN
from .serving.policy import EVERY_ANSWER, JSON_ANSWER

#: The style in `templates/failure.html`, which must not need a static file.
ERROR_PAGE_STYLE = "'sha256-yYXzklXs8k8EKShaXcXh5HzN5hUXMj0HSMNDhWRdB3w='"

_OWN_FRAMES = {"X-Frame-Options": "SAMEORIGIN"}
#: Rich text may show pictures of other sites, also over HTTP.
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' {styles}; img-src * data:{images}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
_SITE = {
    **EVERY_ANSWER,
    **_OWN_FRAMES,
    "Content-Security-Policy": _PAGE_POLICY.format(styles=ERROR_PAGE_STYLE, images=""),
    "Referrer-Policy": "strict-origin-when-cross-origin",
}
#: allauth's links in emails are secret; other pages at secret URLs are marked by `cms_api.http.secret_urls`.
_ACCOUNTS = {**_SITE, "Referrer-Policy": "same-origin"}
#: Wagtail's editors style elements inline, and preview images before they are uploaded.
_ADMIN = {
    **EVERY_ANSWER,
    **_OWN_FRAMES,
    "Content-Security-Policy": _PAGE_POLICY.format(styles="'unsafe-inline'", images=" blob:"),
    "Referrer-Policy": "same-origin",
}


class SecurityHeadersMiddleware:
    """Adds the headers. It surrounds the API and the page cache, so that both and every error have them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # Django's debug pages have inline scripts.
        is_debug_page = response.status_code >= 400 and settings.DEBUG
        for name, value in _headers_for(request.path_info).items():
            if name not in response.headers and not (is_debug_page and name == "Content-Security-Policy"):
                response.headers[name] = value
        return response


def _headers_for(path: str) -> Mapping[str, str]:
    if dispatch.is_api(path) or path in health.CHECKS:
        return JSON_ANSWER
    if path.startswith(ADMIN):
        return _ADMIN
    return _ACCOUNTS if path.startswith("/accounts/") and are_available() else _SITE
