"""The library's categories in the admin."""

from typing import Any

from django import forms
from django.db.models import Count, QuerySet
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Category
from ..services.categories import delete_category, save_category


class CategoryForm(RecordForm):
    slug = forms.CharField(
        required=False,
        help_text="Identifies the category in URLs and in the API. Leave empty to derive it from the name.",
    )


class CategoryViewSet(RecordViewSet):
    """Categories; the library's own lists, filtered by category, show where one is used."""

    model = Category
    icon = "folder-open-inverse"
    menu_label = "Media categories"
    ordering = ("name", "id")
    search_fields = ["name", "slug"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("slug", label="Slug", sort_key="slug"),
        Column("files", label="Files", sort_key="files"),
    )
    form = CategoryForm
    panels = (FieldPanel("name"), FieldPanel("slug"))

    def records(self) -> QuerySet[Category]:
        return Category.objects.annotate(files=Count("media"))

    def create(self, values: dict[str, Any], user: Any) -> Category:
        return save_category(**values, user=user)

    def update(self, record: Category, values: dict[str, Any], user: Any) -> Category:
        return save_category(**values, category=record, user=user)

    def delete(self, record: Category, user: Any) -> None:
        delete_category(category=record, user=user)

    def get_delete_consequence(self, record: Any) -> str:
        said = {0: "No files are in this category.", 1: "One file will have no category."}
        return said.get(record.files, f"{record.files} files will have no category.")
