"""The sitemap, robots.txt, security.txt, the search and the documentation, every module's public pages, then the API's routes.

The routes are here for `reverse`; `dispatch` answers them.
"""

from collections.abc import Iterator

from django.urls import path

from cms_api.core import registry

from . import search, security_txt, sitemap
from .documentation import urls as documentation
from .gates import Pattern, gate_patterns
from .routing import url_patterns


def _pages() -> Iterator[Pattern]:
    """Yield every module's public pages, highest module first, as it may take over a URL that a lower one serves too."""
    for module in reversed(registry.modules()):
        for dotted, feature in ((module.pages.urls, module.feature), (module.pages.ungated_urls, "")):
            if dotted:
                yield from gate_patterns(registry.load(dotted), feature)


urlpatterns = [
    path("robots.txt", sitemap.robots),
    path(security_txt.PATH, security_txt.show),
    path("sitemap.xml", sitemap.whole, name="sitemap"),
    path("sitemap-<slug:section>.<int:number>.xml", sitemap.part, name="sitemap_part"),
    path("search", search.show, name="search"),
    *documentation.urlpatterns,
    *_pages(),
    *url_patterns(),
]
