"""Feature gates derived from the declarations: what a module shows exists only while its feature is on.

While it is off, its URLs match nothing, so the site or the admin answers them like any unknown URL.
"""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.urls import URLPattern, URLResolver
from wagtail.admin.menu import MenuItem
from wagtail.admin.viewsets.base import ViewSet, ViewSetGroup

from cms_api.flags.selectors import is_on

Pattern = URLPattern | URLResolver


class GatedPattern(URLPattern):
    """A URL pattern that matches only while a feature is on."""

    feature = ""

    def resolve(self, path: str) -> Any:
        # Of the many patterns that are tried for a path, few match.
        match = super().resolve(path)
        return match if match and is_on(self.feature) else None


class GatedResolver(URLResolver):
    """A URL prefix that matches only while a feature is on."""

    feature = ""

    def resolve(self, path: str) -> Any:
        return super().resolve(path) if is_on(self.feature) else None


def gate_patterns(patterns: Iterable[Pattern], feature: str) -> list[Pattern]:
    """Return the same patterns and names, matching only while the feature is on; unchanged if there is no feature."""
    return [_gate(pattern, feature) for pattern in patterns] if feature else list(patterns)


def _gate(pattern: Pattern, feature: str) -> Pattern:
    closed: Pattern
    if isinstance(pattern, URLPattern):
        closed = GatedPattern(pattern.pattern, pattern.callback, pattern.default_args, pattern.name)
    else:
        defaults = (pattern.default_kwargs, pattern.app_name, pattern.namespace)
        closed = GatedResolver(pattern.pattern, pattern.urlconf_name, *defaults)
    closed.feature = feature
    return closed


def gate_viewset(viewset: ViewSet | ViewSetGroup, feature: str) -> None:
    """Hide a viewset's pages and menu item while the feature is off; for a group, those of every viewset in it."""
    for each in getattr(viewset, "registerables", [viewset]):
        patterns = each.get_urlpatterns
        each.get_urlpatterns = lambda patterns=patterns: gate_patterns(patterns(), feature)
        shown: Any = each.menu_item_class

        class GatedMenuItem(shown):
            def is_shown(self, request: HttpRequest) -> bool:
                return is_on(feature) and bool(super().is_shown(request))

        each.menu_item_class = GatedMenuItem


def gate_menu_item(item: MenuItem, feature: str) -> None:
    """Hide a menu item while the feature is off."""
    shown = item.is_shown
    item.is_shown = lambda request: is_on(feature) and shown(request)
