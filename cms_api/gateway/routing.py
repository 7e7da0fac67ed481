"""Finds the declared route of a path: paths in Django's syntax, indexed by their first segment."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.urls import URLPattern, path
from django.urls.resolvers import RoutePattern

from cms_api.core import registry
from cms_api.core.module import Module, Restriction, Route
from cms_api.http.endpoint import Endpoint

PREFIX = "api/v1/"


@dataclass(frozen=True)
class Match:
    module: Module
    route: Route
    endpoint: Endpoint
    arguments: dict[str, Any]

    @property
    def feature(self) -> str:
        return self.route.feature or self.module.feature


@cache
def _table() -> dict[str, list[tuple[RoutePattern, Module, Route, Endpoint]]]:
    table: dict[str, list[tuple[RoutePattern, Module, Route, Endpoint]]] = {}
    for module, route in registry.routes():
        entry = (RoutePattern(route.path, is_endpoint=True), module, route, registry.load(route.view)())
        table.setdefault(route.path.partition("/")[0], []).append(entry)
    return table


def find(path_info: str) -> Match | None:
    """Return the route of a request path such as `/api/v1/content-items/7`, with or without a trailing slash."""
    whole = path_info.removesuffix("/") + "/"
    inner = whole.removeprefix("/" + PREFIX)
    if inner in {whole, "/"}:
        return None
    inner = inner.removesuffix("/")
    for pattern, module, route, endpoint in _table().get(inner.partition("/")[0], ()):
        matched = pattern.match(inner)
        if matched:
            return Match(module, route, endpoint, matched[2])
    return None


@cache
def _restricted_views() -> dict[tuple[str, str], Endpoint]:
    """Return the views that answer tokens with a restriction, by its name and the path of the route."""
    return {
        (name, path): registry.load(dotted)()
        for name, (_, preset) in registry.restrictions().items()
        if preset.restriction
        for path, dotted in preset.restriction.views.items()
    }


def restricted_view(restriction: str, route: Route) -> Endpoint | None:
    """Return the view of a route for tokens with a restriction; None if they do not reach it."""
    return _restricted_views().get((restriction, route.path))


def restricted_views(route: Route) -> list[tuple[Restriction, Endpoint]]:
    """Return the views of a route for tokens with restrictions."""
    declared = (preset.restriction for _, preset in registry.restrictions().values() if preset.restriction)
    return [(each, view) for each in declared if (view := restricted_view(each.name, route))]


def url_patterns(wanted: Iterator[Route] | None = None) -> list[URLPattern]:
    """Return the routes as Django URL patterns, used to generate the OpenAPI document; `dispatch` answers the requests."""
    routes = [route for _, route in registry.routes()] if wanted is None else list(wanted)
    return [path((PREFIX + route.path).rstrip("/"), registry.load(route.view).as_view()) for route in routes]
