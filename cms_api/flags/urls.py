"""Addresses of a module that can be switched off: while it is, the rest of the site answers, as it does to any other address."""

from collections.abc import Sequence
from typing import Any

from django.urls import URLPattern, URLResolver
from django.urls.resolvers import RoutePattern

from .selectors import is_on


class WhileOn(RoutePattern):
    """Matches nothing while a feature is off."""

    def __init__(self, feature: str) -> None:
        super().__init__("")
        self.feature = feature

    def match(self, path: str) -> Any:
        return super().match(path) if is_on(self.feature) else None


def while_on(feature: str, patterns: Sequence[URLPattern]) -> list[URLResolver]:
    return [URLResolver(WhileOn(feature), list(patterns))]
