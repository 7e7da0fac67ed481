"""Bulk actions on images and documents: they respect the listing's filters, and show every use before a deletion."""

from typing import Any, ClassVar

from wagtail.documents.views import bulk_actions as documents
from wagtail.images.views import bulk_actions as images

from cms_api.adminkit.wagtail_actions import replace_action
from cms_api.core import versions

from ..selectors import VERSION
from .listing import DocumentFilterSet, ImageFilterSet
from .uses import uses_of


class Listed:
    """Limits "select all" to the filtered listing, whose parameters are in the URL: Wagtail's own actions ignore filters."""

    filterset_class: ClassVar[Any]
    request: Any
    model: Any

    def get_all_objects_in_listing_query(self, parent_id: Any) -> set[int]:
        found = super().get_all_objects_in_listing_query(parent_id)  # type: ignore[misc]
        listed = self.filterset_class(self.request.GET, queryset=self.model.objects.all(), request=self.request).qs
        return set(found) & set(listed.values_list("pk", flat=True))


class ConfirmsUses:
    """Shows where the files are used; none is protected, as deletion removes them everywhere."""

    template_name = "media_admin/confirm_bulk_delete.html"
    noun: ClassVar[str]

    def annotate_items(self, items: Any) -> Any:
        self.is_protected = False
        return items

    def object_context(self, item: Any) -> dict[str, Any]:
        return {"item": item, "uses": uses_of(item)}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return context | {"noun": self.noun, "total": sum(each["uses"].count for each in context["items"])}

    def prepare_action(self, objects: Any, objects_without_access: Any) -> None:
        """Skip Wagtail's check for protected files."""


class MovesLibrary:
    """Moves the library's version with the files: the collection that they come to may be private."""

    @classmethod
    def execute_action(cls, objects: Any, **kwargs: Any) -> Any:
        moved = super().execute_action(objects, **kwargs)  # type: ignore[misc]
        versions.bump(VERSION)
        return moved


for _noun, _filters, _actions in (("image", ImageFilterSet, images), ("document", DocumentFilterSet, documents)):
    for _bases in (
        (ConfirmsUses, Listed, _actions.DeleteBulkAction),
        (Listed, _actions.AddTagsBulkAction),
        (MovesLibrary, Listed, _actions.AddToCollectionBulkAction),
    ):
        replace_action(_bases[-1], *_bases[:-1], filterset_class=_filters, noun=_noun, __module__=__name__)
