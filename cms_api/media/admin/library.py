"""Replacements for Wagtail's pages: its reference index knows fewer uses than the modules' `media_usage`s.

The URLs and names are Wagtail's, so that it can reverse them; these patterns are matched first.
"""

from typing import Any

from django.urls import URLPattern, URLResolver, include, path, reverse
from django.utils.functional import cached_property
from django.views.generic import TemplateView
from wagtail import hooks
from wagtail.admin.views.generic import PermissionCheckedMixin, WagtailAdminTemplateMixin
from wagtail.documents.views import documents
from wagtail.images.views import images

from ..models import MediaFile, MediaImage
from .listing import Documents, Images
from .uses import Uses, uses_of


class _Told:
    """A page about one record that shows where it is used."""

    object: Any

    @cached_property
    def uses(self) -> Uses:
        return uses_of(self.object)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return context | {"uses": self.uses, "usage_count_val": self.uses.count}


class EditImage(_Told, images.EditView):
    pass


class EditDocument(_Told, documents.EditView):
    pass


class DeleteImage(_Told, images.DeleteView):
    """Deletes an image without checking for protection: it is removed everywhere it is used."""

    template_name = "media_admin/confirm_delete.html"
    context_object_name = "image"
    usage_url_name = None


class DeleteDocument(_Told, documents.DeleteView):
    template_name = "media_admin/confirm_delete.html"
    context_object_name = "document"
    usage_url_name = None


class _Usage(_Told, PermissionCheckedMixin, WagtailAdminTemplateMixin, TemplateView):
    """The page that a record's usage count links to."""

    template_name = "media_admin/usage.html"
    page_title = "Usage"
    permission_required = "change"
    model: Any
    views: Any

    def setup(self, request: Any, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        # Found and permission-checked as in Wagtail's page.
        wagtails = self.views.UsageView()
        wagtails.setup(request, *args, **kwargs)
        self.object = wagtails.object

    def user_has_permission(self, permission: str) -> bool:
        return bool(self.permission_policy.user_has_permission_for_instance(self.request.user, permission, self.object))

    def get_page_subtitle(self) -> str:
        return str(self.object.title)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        view = self.views.UsageView
        return [
            {"url": reverse("wagtailadmin_home"), "label": "Home"},
            {"url": reverse(view.index_url_name), "label": self.views.IndexView.page_title},
            {"url": reverse(view.edit_url_name, args=[self.object.pk]), "label": self.object.title},
            {"url": "", "label": self.page_title},
        ]


class ImageUsage(_Usage):
    model, views, header_icon = MediaImage, images, "image"


class DocumentUsage(_Usage):
    model, views, header_icon = MediaFile, documents, "doc-full-inverse"


IMAGES: list[URLPattern] = [
    path("", Images.as_view()),
    path("results/", Images.as_view(results_only=True)),
    path("<int:image_id>/", EditImage.as_view()),
    path("<int:image_id>/delete/", DeleteImage.as_view()),
    path("usage/<int:image_id>/", ImageUsage.as_view()),
]
DOCUMENTS: list[URLPattern] = [
    path("", Documents.as_view()),
    path("results/", Documents.as_view(results_only=True)),
    path("edit/<int:document_id>/", EditDocument.as_view()),
    path("delete/<int:document_id>/", DeleteDocument.as_view()),
    path("usage/<int:document_id>/", DocumentUsage.as_view()),
]


# Before Wagtail's own URLs.
@hooks.register("register_admin_urls", order=-100)
def library_urls() -> list[URLResolver]:
    return [path("images/", include(IMAGES)), path("documents/", include(DOCUMENTS))]
