"""The public address of the documentation, which is like any unknown address while the documentation is not public."""

from typing import Any

from django.urls import URLPattern
from django.urls.resolvers import RoutePattern

from .views import is_public, show


class PublicPattern(URLPattern):
    """Matches only while the documentation is public."""

    def resolve(self, path: str) -> Any:
        return super().resolve(path) if is_public() else None


urlpatterns = [PublicPattern(RoutePattern("api-documentation", is_endpoint=True), show, name="public_api_documentation")]
