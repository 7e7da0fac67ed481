"""A URL pattern that stands before another package's leaves it no spelling of its URLs."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, path, resolve
from django.views import View
from wagtail.documents import urls as wagtaildocs_urls

PARAMETER = "\0"
#: Texts in the place of a parameter: those that `int` or `str` match are more than `id` and `slug` do.
TEXTS = ("1", "01", "0", "007", str(2**63), "9" * 30, "9" * 4000, "x", "a.b", "é")


def all_patterns(patterns: Any, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from all_patterns(pattern.url_patterns, route)
        else:
            yield route, pattern


def plain(route: str) -> str:
    """A route without the names and converters of its parameters."""
    return re.sub(r"[\\^$]|\\Z", "", re.sub(r"<[^>]*>|\(\?P<\w+>[^)]*\)", PARAMETER, route))


def package(view: Any) -> str:
    """The package of a view, or of its class."""
    return getattr(view, "view_class", view).__module__.partition(".")[0]


def replaced(patterns: Any) -> dict[str, Any]:
    """Routes with parameters that have a view of another package behind one of the project."""
    by_route = defaultdict(list)
    for route, pattern in all_patterns(patterns):
        by_route[plain(route)].append(pattern.callback)
    return {route: views for route, views in by_route.items() if len(views) > 1 and package(views[-1]) in {"wagtail", "django"}}


def leaks(route: str, views: list[Any]) -> Iterator[str]:
    for text in TEXTS:
        url = "/" + route.replace(PARAMETER, text)
        try:
            found = resolve(url)
        except Resolver404:
            continue
        if found.func is views[-1]:
            yield url[:100]


@pytest.mark.django_db
def test_it_works() -> None:
    found = replaced(get_resolver().url_patterns)
    assert f"_util/authenticate_with_password/{PARAMETER}/{PARAMETER}/" in found
    assert f"admin/images/{PARAMETER}/" in found
    assert [leak for route, views in found.items() for leak in leaks(route, views)] == []


def test_a_leak_is_found(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: `id` leaves `01` to the pattern behind it."""

    class Own(View):
        pass

    theirs = wagtaildocs_urls.urlpatterns[-1]
    own = path("authenticate_with_password/<id:restriction>/", Own.as_view())
    module = type("urls", (), {"urlpatterns": [own, theirs]})
    settings.ROOT_URLCONF = module
    [(route, views)] = replaced([own, theirs]).items()
    assert "/authenticate_with_password/01/" in list(leaks(route, views))
