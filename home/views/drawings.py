"""Drawings in the theme's colours, as SVG files: those in empty image slots, and the icon of the site."""

from base64 import b64encode

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..types import drawing_colours, in_scheme
from .theme import YEAR_SECONDS, ShownTheme, current_theme

#: The drawings of image slots, by the kind of the slot; those without one get the widest.
DRAWN = {"card": "card", "half": "half", "hero": "hero", "portrait": "portrait", "tile": "tile", "wide": "hero"}
MARK = "mark"
_CLASSES = {"ground": "g", "shade": "e"}
#: The files have a style of their own, and nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"


def slot_address(kind: str) -> str:
    """Return the URL of the drawing in an empty slot; it changes with the theme's colours."""
    return _address(current_theme(), kind)


def icon_address() -> str:
    """Return the URL of the icon of sites that have not chosen one."""
    return _address(current_theme(), MARK)


@require_safe
def drawing(request: HttpRequest, kind: str) -> HttpResponse:
    if kind not in DRAWN:
        raise Http404
    return _answer(request, kind)


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    return _answer(request, MARK)


def _answer(request: HttpRequest, kind: str) -> HttpResponse:
    theme = current_theme()
    response = HttpResponse(_draw(theme, kind), content_type="image/svg+xml")
    is_named = request.GET.get("v") == theme.drawing_version
    response.headers["Cache-Control"] = f"public, max-age={YEAR_SECONDS}, immutable" if is_named else "no-cache"
    response.headers["Content-Security-Policy"] = POLICY
    # Clients of the API show the drawings of empty slots on other sites.
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response


def _address(theme: ShownTheme, kind: str) -> str:
    if theme.scheme:
        # The colours of a preview are stored nowhere.
        return "data:image/svg+xml;base64," + b64encode(_draw(theme, kind).encode()).decode()
    path = reverse("site_icon") if kind == MARK else reverse("slot_drawing", args=[kind])
    return f"{path}?v={theme.drawing_version}"


def _draw(theme: ShownTheme, kind: str) -> str:
    style = in_scheme(_style(theme), theme.scheme) if theme.scheme else _style(theme)
    return render_to_string(f"drawings/{DRAWN.get(kind, kind)}.svg", {"style": style})


def _style(theme: ShownTheme) -> str:
    found = drawing_colours(theme.accent, theme.secondary)
    light, dark = (
        "".join(f".{_CLASSES.get(name, name)}{{fill:{colour}}}" for name, colour in scheme.items())
        for scheme in (found.light, found.dark)
    )
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"
