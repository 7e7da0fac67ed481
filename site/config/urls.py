"""The site's URLs: the admin, every module's public pages, media files, and Wagtail's pages for the rest."""

from django.urls import include, path, re_path
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as wagtailadmin_urls
from wagtail.documents.views.serve import serve as serve_document

from cms_api.accounts.urls import wagtail_patterns
from cms_api.gateway import site_history
from cms_api.media.views import serve_media
from home.views.routing import serve_page

urlpatterns = [
    *wagtail_patterns,
    *site_history.wagtail_patterns,
    path("admin/", include(wagtailadmin_urls)),
    # Wagtail's own pattern matches numbers with more digits than Python reads. That for passwords is among those above.
    path("documents/<any_id:document_id>/<path:document_filename>", serve_document, name="wagtaildocs_serve"),
    re_path(r"^media/(?P<path>.+)$", serve_media),
    path("", include("cms_api.gateway.urls")),
    *(pattern for pattern in wagtail_urls.urlpatterns if pattern.name != "wagtail_serve"),
    re_path(wagtail_urls.serve_pattern, serve_page, name="wagtail_serve"),
]

handler500 = "cms_api.gateway.failures.server_error"
