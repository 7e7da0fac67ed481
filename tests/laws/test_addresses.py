"""Every URL under /api/ belongs to a declared route, and every declared route has a URL."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from cms_api.core import registry
from cms_api.gateway import routing

from .operations import UNKNOWN, filled


def patterns(resolver: Any, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        address = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, address)
        elif isinstance(entry, URLPattern):
            yield address


def test_it_works() -> None:
    declared = {(routing.PREFIX + route.path).rstrip("/") for _, route in registry.routes()}
    assert {address for address in patterns(get_resolver()) if re.match(r"\^?api(/|$)", address)} == declared


def test_every_declared_route_resolves() -> None:
    for module, route in registry.routes():
        found = routing.find("/api/v1/" + filled(route.path))
        assert found is not None
        assert (found.module, found.route) == (module, route)


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/",
        "/api/v1//",
        "/api/v2/content-items",
        "/api/v1//content-items",
        "/api//v1/content-items",
        "/api/v1/content-items//",
        "/api/v1/Content-Items",
        "/api/v1/content-items/a/b",
        "/api/v1/../v1/content-items",
        "/api/v1/content-types/x/terms/y",
        "/api/v1/openapi.json/more",
        "/api/v1/openapi.yaml",
        "/api/v1/.env",
    ],
)
@pytest.mark.django_db
def test_any_other_path_is_a_json_404(path: str, api_on: None) -> None:
    for method in ("GET", "POST", "DELETE"):
        found = Client().generic(method, path)
        assert (found.status_code, found.content) == (404, b'{"message":"Not Found."}')
        assert found.headers["Content-Type"] == "application/json"


def test_every_kind_of_path_parameter_has_a_sample() -> None:
    kinds = {
        part.partition(":")[0].lstrip("<") for _, route in registry.routes() for part in route.path.split("/") if "<" in part
    }
    assert kinds <= set(UNKNOWN)


def test_paths_have_ids_that_a_database_can_store() -> None:
    """Django's `<int:pk>` matches numbers of any length; `<id:pk>` does not."""
    root = Path(__file__).resolve().parents[2]
    sources = (path for name in ("cms_api", "commerce", "events", "home") for path in (root / name).rglob("*.py*"))
    wide = {match for path in sources if path.suffix != ".pyc" for match in re.findall(r"<int:\w+>", path.read_text())}
    # The number of a part of the sitemap is no id.
    assert wide == {"<int:number>"}
