"""Categories of listings in the admin."""

from typing import Any

from django import forms
from django.urls import reverse
from wagtail.admin.panels import FieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit.columns import CountColumn, RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.adminkit.widgets import AsciiSlugInput
from commerce.common.types import MAX_SLUG

from ..models import Category
from ..selectors.listings import categories
from ..services.categories import delete_category, save_category


class CategoryForm(RecordForm):
    slug = forms.CharField(
        required=False,
        max_length=MAX_SLUG,
        widget=AsciiSlugInput,
        help_text="The last part of the category's URL. Leave empty to derive it from the name.",
    )

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


def listings_url(category: Category) -> str:
    return set_query_params(reverse("listings:index"), {"category": category.pk})


class CategoryViewSet(RecordViewSet):
    model = Category
    icon = "folder-open-inverse"
    menu_label = "Categories"
    menu_order = 20
    name = "listing_categories"
    url_prefix = "listings/categories"
    ordering = ("position", "name", "id")
    search_fields = ["name", "slug"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("slug", label="Address", accessor=lambda each: f"/directory/category/{each.slug}", sort_key="slug"),
        CountColumn("listing_count", label="Listings", url=listings_url),
        Column("position", label="Position", sort_key="position"),
    )
    form = CategoryForm
    panels = (NamePanel("name"), FieldPanel("slug"), FieldPanel("description"), FieldPanel("position"))
    delete_consequence = "Its listings stay, without this category."
    create, update, delete = by_services(save_category, delete_category, "category")

    def records(self) -> Any:
        return categories()

    def record_buttons(self, record: Category, user: Any) -> list[BaseButton]:
        return [Button("View page", url=reverse("directory_category", args=[record.slug]), icon_name="view", priority=12)]
