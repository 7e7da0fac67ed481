"""The pages of categories in the admin, of which each module with categories has its own."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, Panel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets import AdminAutoHeightTextInput
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit.columns import CountColumn, RecordColumn
from cms_api.adminkit.fields import SlugField
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet

from ..models import CategoryBase
from ..types import MAX_SLUG


class CategoryForm(RecordForm):
    slug = SlugField(
        max_length=MAX_SLUG, help_text="The last part of the category's URL. Leave empty to derive it from the name."
    )

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 3})}


class CategoryViewSet(RecordViewSet):
    """The categories of a module. A subclass has a `model`, a `name`, a `url_prefix` and the services."""

    #: Names the records of a category: its related name, and the name of their list in the admin.
    related: ClassVar[str]
    #: The name of the URL of a category's page, which takes its slug.
    page: ClassVar[str]

    icon = "folder-open-inverse"
    menu_label = "Categories"
    menu_order = 20
    ordering = ("position", "name", "id")
    search_fields = ("name", "slug")
    form = CategoryForm
    panels: Sequence[Panel] = (NamePanel("name"), FieldPanel("slug"), FieldPanel("description"), FieldPanel("position"))

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.list_display = (
            RecordColumn("name", label="Name", sort_key="name"),
            Column("slug", label="Address", accessor=cls.page_url, sort_key="slug"),
            CountColumn("record_count", label=cls.related.capitalize(), url=cls.records_url),
            Column("position", label="Position", sort_key="position"),
        )

    @classmethod
    def page_url(cls, category: CategoryBase) -> str:
        return reverse(cls.page, args=[category.slug])

    @classmethod
    def records_url(cls, category: CategoryBase) -> str:
        return set_query_params(reverse(f"{cls.related}:index"), {"category": category.pk})

    def records(self) -> QuerySet[Any]:
        return super().records().annotate(record_count=Count(self.related))

    def record_buttons(self, record: CategoryBase, user: User) -> Sequence[BaseButton]:
        return [Button("View page", url=self.page_url(record), icon_name="view", priority=12)]
