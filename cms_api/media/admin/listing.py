"""The listings of images and documents: with a category filter, and without Wagtail's usage count.

Wagtail counts what its reference index knows, which is not everything that the site uses; a record's pages show the rest.
"""

from typing import Any, ClassVar

from django.db.models import QuerySet
from wagtail.admin.ui.tables import Column, UsageCountColumn
from wagtail.documents.views.documents import DocumentsFilterSet
from wagtail.documents.views.documents import IndexView as DocumentIndex
from wagtail.images.views.images import ImagesFilterSet
from wagtail.images.views.images import IndexView as ImageIndex

from cms_api.adminkit import filters

from ..models import Category

_NONE = "none"


def in_category(files: QuerySet[Any], name: str, value: Any) -> QuerySet[Any]:
    """Filter by id in a subquery, as the search backend does not index categories."""
    wanted = None if value == _NONE else value
    return files.filter(pk__in=files.model.objects.filter(category=wanted).order_by().values("pk"))


def category_filter() -> Any:
    return filters.record(
        lambda request: Category.objects.all(),
        label="Category",
        method=in_category,
        null_label="No category",
        null_value=_NONE,
    )


class ImageFilterSet(ImagesFilterSet):
    usage_count = None
    category = category_filter()


class DocumentFilterSet(DocumentsFilterSet):
    usage_count = None
    category = category_filter()


class CategoryListing:
    """The differences of both listings from Wagtail's."""

    def get_base_queryset(self) -> Any:
        return super().get_base_queryset().select_related("category")  # type: ignore[misc]

    @property
    def columns(self) -> list[Any]:
        columns = [each for each in super().columns if not isinstance(each, UsageCountColumn)]  # type: ignore[misc]
        return [*columns, Column("category", label="Category", accessor=lambda record: record.category or "")] if columns else []

    def decorate_paginated_queryset(self, object_list: Any) -> Any:
        return object_list


class Images(CategoryListing, ImageIndex):
    ORDERING_OPTIONS: ClassVar[Any] = {
        order: label for order, label in ImageIndex.ORDERING_OPTIONS.items() if "usage_count" not in order
    }
    filterset_class = ImageFilterSet


class Documents(CategoryListing, DocumentIndex):
    filterset_class = DocumentFilterSet
