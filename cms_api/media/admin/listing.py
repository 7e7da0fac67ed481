"""The listings of images and documents: with a category filter, and without Wagtail's usage count.

Wagtail counts what its reference index knows, which is not everything that the site uses; a record's pages show the rest.
"""

from typing import Any, ClassVar

import django_filters
from django import forms
from wagtail.admin.ui.tables import Column, UsageCountColumn
from wagtail.documents.views.documents import DocumentsFilterSet
from wagtail.documents.views.documents import IndexView as DocumentIndex
from wagtail.images.views.images import ImagesFilterSet
from wagtail.images.views.images import IndexView as ImageIndex

from ..models import Category

_NONE = "none"


class CategoryFilter(django_filters.ModelChoiceFilter):
    """A filter by category or none. It filters by id in a subquery, as the search backend does not index categories."""

    def __init__(self) -> None:
        super().__init__(
            field_name="category",
            label="Category",
            queryset=lambda request: Category.objects.all(),
            widget=forms.RadioSelect,
            empty_label="All",
            null_label="Without a category",
            null_value=_NONE,
        )

    def filter(self, qs: Any, value: Any) -> Any:
        if not value:
            return qs
        wanted = None if value == _NONE else value
        return qs.filter(pk__in=qs.model.objects.filter(category=wanted).order_by().values("pk"))


class ImageFilterSet(ImagesFilterSet):
    usage_count = None
    category = CategoryFilter()


class DocumentFilterSet(DocumentsFilterSet):
    usage_count = None
    category = CategoryFilter()


class _Listing:
    """The differences of both listings from Wagtail's."""

    def get_base_queryset(self) -> Any:
        return super().get_base_queryset().select_related("category")  # type: ignore[misc]

    @property
    def columns(self) -> list[Any]:
        columns = [each for each in super().columns if not isinstance(each, UsageCountColumn)]  # type: ignore[misc]
        return [*columns, Column("category", label="Category", accessor=lambda record: record.category or "")] if columns else []

    def decorate_paginated_queryset(self, object_list: Any) -> Any:
        return object_list


class Images(_Listing, ImageIndex):
    ORDERING_OPTIONS: ClassVar[Any] = {
        order: label for order, label in ImageIndex.ORDERING_OPTIONS.items() if "usage_count" not in order
    }
    filterset_class = ImageFilterSet


class Documents(_Listing, DocumentIndex):
    filterset_class = DocumentFilterSet
