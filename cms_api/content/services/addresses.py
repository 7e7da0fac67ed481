"""The first parts of the site's addresses, such as `shop`: one table, asked before a content type or a page gets one."""

from collections.abc import Iterable, Iterator
from functools import cache

from django.conf import settings
from django.urls import get_resolver

from cms_api.core import registry
from cms_api.flags.services import notify
from cms_api.http.secret_urls import routes_of

from ..selectors import all_types

#: Parts that are answered before any route.
_BEFORE_ROUTES = frozenset({"api", "healthz", "readyz", "media"})


def find_address_owner(part: str, *, besides_pages: bool = False) -> str:
    """Return what has an address, as the beginning of a sentence; empty if it is free.

    With `besides_pages`, pages do not count. Modules and types whose feature is off keep theirs: nothing may stand in their way
    when they are switched on.
    """
    if (item_type := all_types().get(part)) is not None:
        return f"The content type “{item_type.name_plural}”"
    if owner := _read_routes().get(part):
        return owner
    return "" if besides_pages else next(filter(None, notify("content.address_asked", part)), "")


def address_taken_message(part: str, owner: str) -> str:
    return f"{owner} has the address /{part}. Choose another one."


@cache
def _read_routes() -> dict[str, str]:
    """Return what has the first parts of routes: modules, or the site itself."""
    found: dict[str, str] = {}
    for module in registry.modules():
        loaded = (registry.load(dotted) for dotted in (module.pages.urls, module.pages.ungated_urls) if dotted)
        for part in _first_parts((*(route for patterns in loaded for route in routes_of(patterns)), *module.pages.beacons)):
            found.setdefault(part, f"The module “{module.title}”")
    for part in (*_BEFORE_ROUTES, settings.STATIC_URL.strip("/"), *_first_parts(routes_of(get_resolver().url_patterns))):
        found.setdefault(part, "The site itself")
    return found


def _first_parts(routes: Iterable[str]) -> Iterator[str]:
    for route in routes:
        part = route.strip("/").partition("/")[0]
        if part.replace("-", "").replace("_", "").replace(".", "").isalnum():
            yield part
