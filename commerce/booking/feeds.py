"""Services in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http import page_cache
from cms_api.text.search import matching
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import Service
from .resources.pages import TITLE, service_path
from .selectors.services import offered_services
from .types.services import VERSION


class BookingSitemap(Sitemap):
    """The list of services, and their pages."""

    def items(self) -> list[str]:
        page_cache.depends_on(VERSION)
        return [reverse("booking"), *map(service_path, offered_services())]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"booking": BookingSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("booking"))]


class ServiceSource:
    """Services that can be booked, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        page_cache.depends_on(VERSION)
        rows = matching(offered_services(), text).order_by("-created_at", "-id").values_list("pk", "name", "created_at")
        return [Candidate(*row) for row in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        return {service.pk: _result(service) for service in offered_services().filter(pk__in=keys)}


SERVICES = ServiceSource()


def _result(service: Service) -> Result:
    return Result(title=service.name, url=service_path(service), kind="Service", text=service.description)
