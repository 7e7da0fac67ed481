"""Content types in the admin: names, appearance and the field editor."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from wagtail import blocks, hooks
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList
from wagtail.admin.ui.tables import Column, StatusFlagColumn
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.columns import RecordColumn
from cms_api.adminkit.forms import RecordForm
from cms_api.adminkit.panels import NamePanel
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.adminkit.widgets import AsciiSlugInput

from ..models import ContentType
from ..selectors import item_counts
from ..services.types import delete_type, save_type
from .access import visible_type_ids
from .schema import SCHEMA_BLOCK, from_stream, to_stream

INDEX_LAYOUTS = (("content-list", "List"), ("content-grid", "Grid"))
DETAIL_LAYOUTS = (("content-detail", "Standard"), ("content-wide", "Wide"))
SCHEMA_TYPES = (
    "Article", "BlogPosting", "Course", "CreativeWork", "Event", "FAQPage", "HowTo", "JobPosting", "LocalBusiness", "Menu",
    "NewsArticle", "Organization", "Person", "Place", "Product", "Recipe", "Review", "Service", "VideoObject",
)  # fmt: skip


def icon_choices() -> list[tuple[str, str]]:
    """Return every icon of the admin, by its template name."""
    files: list[str] = []
    for register in hooks.get_hooks("register_icons"):
        files = register(files)
    names = sorted({file.rpartition("/")[2].removesuffix(".svg") for file in files})
    return [(name, name.replace("-", " ").capitalize()) for name in names]


def _add_current(choices: Any, current: str) -> list[tuple[str, str]]:
    """Return the choices, plus the current value if it is not among them."""
    found = list(choices)
    return found if not current or current in dict(found) else [*found, (current, current)]


#: The first field of a new type, which provides the title of its items.
TITLE = {"key": "title", "label": "Title", "type": "text", "required": True, "help_text": "", "unique": False, "default": None}


class TypeForm(RecordForm):
    """The form of a content type."""

    only_new = ("slug",)
    refused_at = {"fields": "fields_editor"}

    icon = forms.ChoiceField()
    schema_type = forms.ChoiceField(required=False, label="Schema.org type, for search engines")
    index_layout = forms.ChoiceField(label="List layout")
    detail_layout = forms.ChoiceField(label="Detail layout")
    fields_editor = blocks.BlockField(SCHEMA_BLOCK, required=False, label="Fields")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = {
            "icon": icon_choices(),
            "schema_type": [("", "None"), *((name, name) for name in SCHEMA_TYPES)],
            "index_layout": INDEX_LAYOUTS,
            "detail_layout": DETAIL_LAYOUTS,
        }
        for name, offered in choices.items():
            current = self.fields[name].initial = getattr(self.instance, name)
            self.fields[name].choices = _add_current(offered, current)
        self.fields["name_plural"].required = False
        self.initial["fields_editor"] = to_stream(self.instance.fields if self.instance.pk else [TITLE])

    def values(self) -> dict[str, Any]:
        values = super().values()
        return {**values, "fields": from_stream(values.pop("fields_editor"), self.instance.fields)}

    class Meta(RecordForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 2})}


SETTINGS = (
    MultiFieldPanel(
        [
            FieldRowPanel([NamePanel("name"), FieldPanel("name_plural")]),
            FieldPanel("slug", widget=AsciiSlugInput, help_text="The first part of the items' URLs. It cannot be changed later."),
            FieldPanel("description"),
            FieldPanel("icon"),
        ],
        heading="Name",
        icon="title",
    ),
    MultiFieldPanel(
        [FieldPanel("has_detail"), FieldPanel("excerpt_enabled"), FieldPanel("comments_enabled")],
        heading="Items",
        icon="doc-full",
    ),
    MultiFieldPanel(
        [FieldRowPanel([FieldPanel("index_layout"), FieldPanel("detail_layout")]), FieldPanel("schema_type")],
        heading="Pages",
        icon="desktop",
    ),
)


class TypeViewSet(RecordViewSet):
    model = ContentType
    icon = "cogs"
    name = "content_types"
    url_prefix = "content/types"
    # The entry is in `menu`.
    menu_label = ""
    pages = ("add", "edit", "delete", "history", "usage")
    ordering = ("name", "id")
    search_fields = ["name", "slug"]
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("slug", label="Slug", sort_key="slug"),
        Column("fields", label="Fields", accessor=lambda found: len(found.fields)),
        Column("items", label="Published items", accessor=lambda found: item_counts().get(found.pk, 0)),
        StatusFlagColumn("is_system", label="Origin", true_label="Built in"),
    )
    form = TypeForm
    panels = (ObjectList(SETTINGS, heading="Settings"), ObjectList([FieldPanel("fields_editor")], heading="Fields"))

    def records(self) -> QuerySet[ContentType]:
        return ContentType.objects.filter(pk__in=visible_type_ids())

    def create(self, values: dict[str, Any], user: Any) -> ContentType:
        return save_type(slug=values.pop("slug"), values=values, user=user)

    def update(self, record: ContentType, values: dict[str, Any], user: Any) -> ContentType:
        return save_type(item_type=record, values=values, user=user)

    def delete(self, record: ContentType, user: Any) -> None:
        delete_type(item_type=record, user=user)

    def may_delete(self, record: ContentType) -> bool:
        return not record.is_system
