"""The API documentation in the admin, also while the API is off."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.generic import TemplateView
from wagtail.admin.menu import MenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet

from cms_api.core import registry
from cms_api.flags.selectors import is_on

from ..roles import app_label
from .rendering import page_context


def may_read(user: Any) -> bool:
    """Return whether the user works with the records of every module that the API serves."""
    served = (module for module in registry.modules() if module.api.routes and module.admin.roles)
    return all(user.has_module_perms(app_label(module.name)) for module in served)


class DocumentationMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return may_read(request.user)


class DocumentationView(WagtailAdminTemplateMixin, TemplateView):
    template_name = "gateway/documentation/admin.html"
    page_title = "API documentation"
    header_icon = "doc-full"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not may_read(request.user):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(api_is_on=is_on("api"), **page_context(self.request), **kwargs)


class DocumentationViewSet(ViewSet):
    icon = "doc-full"
    menu_item_class = DocumentationMenuItem
    menu_label = "API documentation"

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", DocumentationView.as_view(), name="index")]


DOCUMENTATION = DocumentationViewSet("api_documentation", url_prefix="api-documentation")
