"""Every module's public pages, then the API's routes (for `reverse`; `dispatch` answers them)."""

from django.urls import include, path

from cms_api.core import registry

from .routing import url_patterns

urlpatterns = [
    *(path("", include(registry.load(module.pages))) for module in registry.modules() if module.pages),
    *url_patterns(),
]
