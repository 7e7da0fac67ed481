"""What search engines ask for, every module's public pages, then the API's routes (for `reverse`; `dispatch` answers them)."""

from django.urls import include, path

from cms_api.core import registry

from . import sitemap
from .routing import url_patterns

urlpatterns = [
    path("robots.txt", sitemap.robots),
    path("sitemap.xml", sitemap.whole, name="sitemap"),
    path("sitemap-<slug:section>.<int:number>.xml", sitemap.part, name="sitemap_part"),
    # A higher module comes first: it may answer for an address that a lower one would answer too.
    *(path("", include(registry.load(module.pages))) for module in reversed(registry.modules()) if module.pages),
    *url_patterns(),
]
