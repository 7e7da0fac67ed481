"""Replacements for Wagtail's pages: its reference index knows fewer uses than the modules' `media_usage`s.

The URLs and names are Wagtail's, so that it can reverse them; these patterns are matched first.
"""

from typing import Any

from django.urls import URLPattern, URLResolver, include, path
from django.utils.functional import cached_property
from wagtail import hooks
from wagtail.documents.views import documents
from wagtail.images.views import images

from .listing import Documents, Images
from .uses import Uses, uses_of


class ShowsUses:
    """A page about one record that shows where it is used."""

    object: Any

    @cached_property
    def uses(self) -> Uses:
        return uses_of(self.object)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return context | {"uses": self.uses, "usage_count_val": self.uses.count}


class EditImage(ShowsUses, images.EditView):
    pass


class EditDocument(ShowsUses, documents.EditView):
    pass


class DeleteImage(ShowsUses, images.DeleteView):
    """Deletes an image without checking for protection: it is removed everywhere it is used."""

    template_name = "media_admin/confirm_delete.html"
    context_object_name = "image"
    usage_url_name = None


class DeleteDocument(ShowsUses, documents.DeleteView):
    template_name = "media_admin/confirm_delete.html"
    context_object_name = "document"
    usage_url_name = None


class ImageUsage(ShowsUses, images.UsageView):
    template_name = "media_admin/usage.html"


class DocumentUsage(ShowsUses, documents.UsageView):
    template_name = "media_admin/usage.html"


IMAGES: list[URLPattern] = [
    path("", Images.as_view()),
    path("results/", Images.as_view(results_only=True)),
    path("<any_id:image_id>/", EditImage.as_view()),
    path("<any_id:image_id>/delete/", DeleteImage.as_view()),
    path("usage/<any_id:image_id>/", ImageUsage.as_view()),
]
DOCUMENTS: list[URLPattern] = [
    path("", Documents.as_view()),
    path("results/", Documents.as_view(results_only=True)),
    path("edit/<any_id:document_id>/", EditDocument.as_view()),
    path("delete/<any_id:document_id>/", DeleteDocument.as_view()),
    path("usage/<any_id:document_id>/", DocumentUsage.as_view()),
]


# Before Wagtail's own URLs.
@hooks.register("register_admin_urls", order=-100)
def library_urls() -> list[URLResolver]:
    return [path("images/", include(IMAGES)), path("documents/", include(DOCUMENTS))]
