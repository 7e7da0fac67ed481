"""The preview of a theme: a page of the site as it would look with a form that is not saved."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.response import TemplateResponse

from cms_api.flags.selectors import site_formats

from ..models import HomePage, Theme
from ..types import in_scheme, samples, theme_css
from .drawings import slot_address
from .theme import ShownTheme, previewing, show_theme

#: The policy of pages, and the style of this preview by its hash.
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'sha256-{style}'; img-src * data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)


def preview_theme(theme: Theme, request: HttpRequest, mode: str) -> HttpResponse:
    """Render the home page or the samples in a scheme, by a mode such as `home-dark`."""
    page, _, scheme = mode.partition("-")
    previewed = show_theme(theme, scheme="dark" if scheme == "dark" else "light", name=theme.previewed_name)
    home = HomePage.objects.live().first() if page == "home" else None
    with previewing(previewed):
        response = home.serve(request) if home else render(request, "home_admin/theme_samples.html", _context(previewed))
        if isinstance(response, TemplateResponse):
            response.render()
    style = _style(previewed).encode()
    response.content = response.content.replace(b"</head>", b"<style>" + style + b"</style></head>", 1)
    response.headers["Content-Security-Policy"] = POLICY.format(style=b64encode(sha256(style).digest()).decode())
    return response


def _context(theme: ShownTheme) -> dict[str, Any]:
    used, formats = samples(theme.accent, theme.scheme), site_formats()
    return {
        "samples": [(each, formats.number(round(each.ratio, 1))) for each in used],
        "is_adjusted": bool(theme.accent) and any(each.is_adjusted for each in used),
        "drawings": [slot_address(kind) for kind in ("hero", "card", "tile")],
        "meta": {"title": "Samples", "kind": "website"},
    }


def _style(theme: ShownTheme) -> str:
    """Return the colours of one scheme, which replace those that follow the visitor's system."""
    file = finders.find("site/tokens.css")
    assert isinstance(file, str)
    css = Path(file).read_text() + theme_css(theme.accent, theme.secondary)
    return f"{in_scheme(css, theme.scheme)}:root{{color-scheme:{theme.scheme}}}"
