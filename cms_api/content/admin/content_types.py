"""Content types in the admin: names, appearance and the field editor."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from wagtail import blocks, hooks
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.admin.forms.models import WagtailAdminModelForm
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel, ObjectList, Panel, TabbedInterface
from wagtail.admin.ui.tables import Column, StatusFlagColumn
from wagtail.admin.views import generic
from wagtail.admin.views.generic import history, usage
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.views import Saving
from cms_api.core.errors import Invalid

from ..models import ContentType
from ..selectors import find_type, item_counts, visible_types
from ..services.types import ATTRIBUTES, delete_type, save_type
from .schema import SCHEMA_BLOCK, from_stream, stream_error, to_stream

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


def _offered(choices: Any, current: str) -> list[tuple[str, str]]:
    """Return the choices, plus the current value if it is not among them."""
    found = list(choices)
    return found if not current or current in dict(found) else [*found, (current, current)]


class TypeForm(WagtailAdminModelForm):
    """The form of a new content type. Validation is done by the service."""

    icon = forms.ChoiceField()
    schema_type = forms.ChoiceField(
        required=False, label="schema.org type", help_text="What search engines are told that the items are."
    )
    index_layout = forms.ChoiceField(label="Layout of the list")
    detail_layout = forms.ChoiceField(label="Layout of an item's page")
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
            self.fields[name].choices = _offered(offered, current)
        self.fields["name_plural"].required = False
        self.before = list(self.instance.fields)
        self.initial["fields_editor"] = to_stream(self.before or [] if self.instance.pk else [TITLE])

    def values(self) -> dict[str, Any]:
        values = {name: self.cleaned_data[name] for name in ATTRIBUTES if name in self.cleaned_data}
        return {**values, "fields": from_stream(self.cleaned_data["fields_editor"], self.before)}

    def refuse(self, refusal: Invalid) -> None:
        in_fields = stream_error(refusal, from_stream(self.cleaned_data["fields_editor"], self.before))
        if in_fields:
            # Assigned instead of added: Django would flatten an error that refers to blocks into plain messages.
            self.errors["fields_editor"] = self.error_class([in_fields])
        for path, sentences in refusal.errors.items():
            if not (in_fields and path.startswith("fields.")):
                self.add_error(path if path in self.fields else None, sentences)

    class Meta(WagtailAdminModelForm.Meta):
        widgets = {"description": AdminAutoHeightTextInput(attrs={"rows": 2})}


#: The first field of a new type, which provides the title of its items.
TITLE = {"key": "title", "label": "Title", "type": "text", "required": True, "help_text": "", "unique": False, "default": None}


def _panel(*, new: bool) -> Panel:
    slug = [FieldPanel("slug", help_text="The first part of the items' addresses. It cannot be changed later.")] if new else []
    settings = [
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("name"), FieldPanel("name_plural")]),
                *slug,
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
    ]
    tabs = [ObjectList(settings, heading="Settings"), ObjectList([FieldPanel("fields_editor")], heading="Fields")]
    return TabbedInterface(tabs, base_form_class=TypeForm).bind_to_model(ContentType)


class CreateType(CreateAction):
    def _create(self, skip_permission_checks: bool = False) -> ContentType:
        self.instance = save_type(slug=self.form.cleaned_data["slug"], values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class EditType(EditAction):
    def _edit(self, skip_permission_checks: bool = False) -> ContentType:
        stored = ContentType.objects.select_for_update().get(pk=self.instance.pk)
        self.instance = save_type(item_type=stored, values=self.form.values(), user=self.user)
        self.form.instance = self.instance
        return self.instance


class DeleteType(DeleteAction):
    def _delete(self) -> Any:
        delete_type(item_type=self.instance, user=self.user)


for _action in (CreateType, EditType, DeleteType):
    action_registry.register(ContentType, _action)


class VisibleTypeMixin:
    """Hides types whose feature is off."""

    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        found = super().get_object(*args, **kwargs)  # type: ignore[misc]
        if find_type(found.slug) is None:
            raise Http404
        return found


class TypeCreateView(Saving, generic.CreateView):
    pass


class TypeEditView(Saving, VisibleTypeMixin, generic.EditView):
    @property
    def can_delete(self) -> bool:
        may = self.user_has_permission_for_instance("delete", self.object)
        return bool(may and not self.object.is_system)


class TypeDeleteView(VisibleTypeMixin, generic.DeleteView):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().dispatch(request, *args, **kwargs)
        except Invalid as refusal:
            messages.error(request, refusal.message)
            return redirect(reverse("content_types:edit", args=[self.object.pk]))


class TypeHistoryView(VisibleTypeMixin, history.HistoryView):
    pass


class TypeUsageView(VisibleTypeMixin, usage.UsageView):
    pass


class TypeIndexView(generic.IndexView):
    list_display = [
        "name",
        "slug",
        Column("fields", label="Fields", accessor=lambda found: len(found.fields)),
        Column("items", label="Published items", accessor=lambda found: item_counts().get(found.pk, 0)),
        StatusFlagColumn("is_system", label="Origin", true_label="Built in"),
    ]

    def get_base_queryset(self) -> Any:
        return ContentType.objects.filter(pk__in=[found.pk for found in visible_types().values()])

    def search_queryset(self, queryset: Any) -> Any:
        query = self.search_query
        return queryset.filter(Q(name__icontains=query) | Q(slug__icontains=query)) if query else queryset


class TypeViewSet(ModelViewSet):
    model = ContentType
    icon = "cogs"
    name = "content_types"
    url_prefix = "content/types"
    url_namespace = "content_types"
    # The entry is in `menu`.
    menu_label = ""
    copy_view_enabled = False
    search_fields = ["name", "slug"]
    index_view_class = TypeIndexView
    add_view_class = TypeCreateView
    edit_view_class = TypeEditView
    delete_view_class = TypeDeleteView
    history_view_class = TypeHistoryView
    usage_view_class = TypeUsageView

    def get_edit_handler(self) -> Panel:
        return _panel(new=True)

    def get_edit_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        panel = _panel(new=False)
        return super().get_edit_view_kwargs(**{"panel": panel, "form_class": panel.get_form_class(), **kwargs})
