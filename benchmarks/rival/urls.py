"""Both APIs as Wagtail's documentation sets them up, and v2 once more with joins."""

from django.urls import include, path
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as wagtailadmin_urls
from wagtail.api.v2.router import WagtailAPIRouter
from wagtail.api.v2.views import PagesAPIViewSet
from wagtail.api.v3.urls import api
from wagtail.documents import urls as wagtaildocs_urls
from wagtail.documents.api.v2.views import DocumentsAPIViewSet
from wagtail.images.api.v2.views import ImagesAPIViewSet

from .models import ArticlePage


class JoinedPages(PagesAPIViewSet):
    """Wagtail's pages with the joins that a list of articles wants, as a site may add them."""

    def get_queryset(self):
        pages = super().get_queryset()
        return pages.select_related("category", "featured_image", "locale") if pages.model is ArticlePage else pages


api_router = WagtailAPIRouter("wagtailapi")
api_router.register_endpoint("pages", PagesAPIViewSet)
api_router.register_endpoint("joined", JoinedPages)
api_router.register_endpoint("images", ImagesAPIViewSet)
api_router.register_endpoint("documents", DocumentsAPIViewSet)

urlpatterns = [
    path("admin/", include(wagtailadmin_urls)),
    path("documents/", include(wagtaildocs_urls)),
    path("api/v2/", api_router.urls),
    path("api/v3/", api.urls),
    path("", include(wagtail_urls)),
]
