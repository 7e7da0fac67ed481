"""Bulk actions on images and documents: they respect the listing's filters, and show every use before a deletion."""

from typing import Any

from wagtail import hooks
from wagtail.documents.views import bulk_actions as documents
from wagtail.images.views import bulk_actions as images

from .listing import DocumentFilterSet, ImageFilterSet
from .uses import uses_of


class _Listed:
    """Limits "select all" to the filtered listing, whose parameters are in the URL: Wagtail's own actions ignore filters."""

    filterset_class: Any
    request: Any
    model: Any

    def get_all_objects_in_listing_query(self, parent_id: Any) -> set[int]:
        found = super().get_all_objects_in_listing_query(parent_id)  # type: ignore[misc]
        listed = self.filterset_class(self.request.GET, queryset=self.model.objects.all(), request=self.request).qs
        return set(found) & set(listed.values_list("pk", flat=True))


class _ListedImages(_Listed):
    filterset_class = ImageFilterSet


class _ListedDocuments(_Listed):
    filterset_class = DocumentFilterSet


class _Delete:
    """Shows where the files are used; none is protected, as deletion removes them everywhere."""

    template_name = "media_admin/confirm_bulk_delete.html"
    called: tuple[str, str]

    def annotate_items(self, items: Any) -> Any:
        self.is_protected = False
        return items

    def object_context(self, item: Any) -> dict[str, Any]:
        return {"item": item, "uses": uses_of(item)}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        singular, plural = self.called
        return context | {"singular": singular, "plural": plural, "total": sum(each["uses"].count for each in context["items"])}

    def prepare_action(self, objects: Any, objects_without_access: Any) -> None:
        """Skip Wagtail's check for protected files."""


class DeleteImages(_Delete, _ListedImages, images.DeleteBulkAction):
    called = ("image", "images")


class TagImages(_ListedImages, images.AddTagsBulkAction):
    pass


class CollectImages(_ListedImages, images.AddToCollectionBulkAction):
    pass


class DeleteDocuments(_Delete, _ListedDocuments, documents.DeleteBulkAction):
    called = ("document", "documents")


class TagDocuments(_ListedDocuments, documents.AddTagsBulkAction):
    pass


class CollectDocuments(_ListedDocuments, documents.AddToCollectionBulkAction):
    pass


# Registered after Wagtail's own actions, which they replace.
for _action in (DeleteImages, TagImages, CollectImages, DeleteDocuments, TagDocuments, CollectDocuments):
    hooks.register("register_bulk_action", _action, order=100)
