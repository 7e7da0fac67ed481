"""Items in the admin: Wagtail's views for models with drafts, with a form per type, backed by the services."""

from types import SimpleNamespace
from typing import Any

from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.generic import TemplateView
from wagtail.admin.panels import FieldPanel, ObjectList
from wagtail.admin.utils import set_query_params
from wagtail.admin.views.generic import RevisionsRevertMixin
from wagtail.admin.views.generic.base import WagtailAdminTemplateMixin
from wagtail.snippets.side_panels import SnippetStatusSidePanel
from wagtail.snippets.views import snippets

from cms_api.core.errors import Invalid
from cms_api.media.models import MediaImage
from cms_api.media.selectors import address

from ..models import ContentItem, ContentType
from ..selectors import visible_types
from ..services.items import unpublish_item
from ..types import Status
from .access import VisibleItemMixin, fitting, requested_type, visible_or_404
from .choosers import ItemChooserViewSet
from .forms import editor_for
from .listing import ItemIndexView, local_date
from .urls import URLS, add_url, list_url


class TypePickerView(WagtailAdminTemplateMixin, TemplateView):
    """Asks for the type of a new item if the URL does not name one."""

    template_name = "content_admin/choose_type.html"
    page_title = "New content"
    header_icon = "plus"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        home = {"url": reverse("wagtailadmin_home"), "label": "Home"}
        return [home, {"url": list_url(), "label": "Content"}, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        types = sorted(visible_types().values(), key=lambda found: found.name.lower())
        return {**super().get_context_data(**kwargs), "types": [(found, add_url(found)) for found in types]}


class TypedFormMixin:
    """First base of the create, edit and copy views: sets the panel and form of the item's type, and its name in headings."""

    item_type: ContentType | None = None

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)  # type: ignore[misc]
        self.preview_enabled = bool(self.item_type and self.item_type.has_detail)

    def get_panel(self) -> Any:
        return editor_for(self.item_type).panel if self.item_type else None

    def get_header_icon(self) -> str:
        return self.item_type.icon if self.item_type else "doc-full"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = super().get_breadcrumbs_items()  # type: ignore[misc]
        if self.item_type:
            items[-2] = {"url": list_url(self.item_type), "label": self.item_type.name_plural}
        return items

    def form_valid(self, form: Any) -> HttpResponse:
        """Save the form. An error from the service rolls back the whole save and is shown at its field."""
        try:
            with transaction.atomic():
                return super().form_valid(form)  # type: ignore[misc]
        except Invalid as refusal:
            form.refuse(refusal)
            self.produced_error_code = "validation_error"
            self.produced_error_message = self.get_error_message()  # type: ignore[attr-defined]
            self.after_refusal()
            return self.form_invalid(form)  # type: ignore[attr-defined,no-any-return]

    def after_refusal(self) -> None:
        """Restore the view's state from before the save."""

    def save_instance(self) -> ContentItem:
        """Save and publish in one step, so that a refused publication changes nothing."""
        overwrite = {"overwrite_revision": self.overwrite_revision} if self.view_name != "create" else {}  # type: ignore[attr-defined]
        action = self.action_class(  # type: ignore[attr-defined]
            self.form.instance,
            user=self.request.user,
            form=self.form,
            publish=self.action == "publish",
            **overwrite,  # type: ignore[attr-defined]
        )
        item: ContentItem = action.execute(skip_permission_checks=True)
        self.new_revision = action.revision
        return item

    def publish_action(self) -> Any:
        return None

    def get_success_message(self, instance: ContentItem | None = None) -> str:
        item: ContentItem = instance or self.object  # type: ignore[attr-defined]
        done = "saved as a draft"
        if self.action == "publish":  # type: ignore[attr-defined]
            done = "published" if item.status == Status.PUBLISHED else "scheduled for publishing"
        return f"{capfirst(item.type.name)} '{item}' {done}."

    def get_success_url(self) -> str:
        return list_url(self.item_type) if self.action == "publish" else self.get_edit_url()  # type: ignore[attr-defined,no-any-return]


class ItemCreateView(TypedFormMixin, snippets.CreateView):
    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        self.item_type = requested_type(request)
        super().setup(request, *args, **kwargs)
        # An autosave while the title is being typed would give the item a slug made from its first letters.
        self.autosave_enabled = False

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if self.item_type is None:
            return TypePickerView.as_view()(request)
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().post(request, *args, **kwargs) if self.item_type else redirect(self.request.path)

    def get_initial_form_instance(self) -> ContentItem:
        now = timezone.now()
        return ContentItem(type=self.item_type, created_at=now, updated_at=now)

    def get_page_subtitle(self) -> str:
        return self.item_type.name if self.item_type else ""

    def get_add_url(self) -> str:
        return add_url(self.item_type) if self.item_type else reverse(f"{URLS}:add")

    def get_preview_url(self) -> str | None:
        url = super().get_preview_url()
        return set_query_params(url, {"type": self.item_type.slug}) if url and self.item_type else None

    def after_refusal(self) -> None:
        self.object = None


class ItemCopyView(ItemCreateView):
    """Creates an item with the content of another as initial values."""

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        self.source = visible_or_404(get_object_or_404(ContentItem, pk=kwargs["pk"]))
        request.GET = request.GET.copy()
        request.GET["type"] = self.source.type.slug
        super().setup(request, *args, **kwargs)

    def get_initial_form_instance(self) -> ContentItem:
        latest = fitting(self.source.get_latest_revision_as_object())
        item = super().get_initial_form_instance()
        item.data = latest.data
        for name in ("excerpt", "featured_media_id", "meta_title", "meta_description"):
            setattr(item, name, getattr(latest, name))
        return item


def _notice(item: ContentItem) -> str:
    """Return a notice about the item's status, shown before editing."""
    if item.status == Status.SCHEDULED and item.published_at:
        date = local_date(item.published_at)
        return f"This item is going to be published on {date}. A saved draft changes what will be published."
    if item.status == Status.UNPUBLISHED:
        return "This item was taken from the site."
    if item.live and item.has_unpublished_changes:
        return "The site shows an earlier version. The changes below are a draft until they are published."
    return ""


class ItemEditView(VisibleItemMixin, TypedFormMixin, snippets.EditView):
    def get_object(self, queryset: Any = None) -> ContentItem:
        item = fitting(super().get_object(queryset))
        self.item_type = item.type
        return item

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        # A draft of a public item is only a revision. Other items change with every save, and API clients that read them must
        # not get half-written text.
        self.autosave_enabled = self.autosave_enabled and self.object.status == Status.PUBLISHED

    def get_page_subtitle(self) -> str:
        return str(self.object) or self.object.type.name

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "notice": _notice(self.live_object)}

    def get_side_panels(self) -> Any:
        panels = super().get_side_panels()
        for panel in panels:
            if isinstance(panel, SnippetStatusSidePanel) and self.live_object.status == Status.SCHEDULED:
                # Wagtail would look for a revision with a date.
                panel.scheduled_object = SimpleNamespace(go_live_at=self.live_object.published_at, expire_at=None)
        return panels

    def after_refusal(self) -> None:
        self.object = self.form.instance


class ItemRevertView(RevisionsRevertMixin, ItemEditView):
    """Shows an earlier version in the form, which is saved like any other."""

    view_name = "revisions_revert"

    def get_object(self, queryset: Any = None) -> ContentItem:
        return fitting(visible_or_404(super().get_object(queryset)))

    def save_instance(self) -> ContentItem:
        return ItemEditView.save_instance(self)

    def get_success_message(self, instance: ContentItem | None = None) -> str:
        return ItemEditView.get_success_message(self, instance)


class ItemDeleteView(VisibleItemMixin, snippets.DeleteView):
    def get_success_url(self) -> str:
        return list_url(self.object.type)

    def get_success_message(self) -> str:
        return f"{capfirst(self.object.type.name)} '{self.object}' deleted."


class ItemUnpublishView(VisibleItemMixin, snippets.UnpublishView):
    def unpublish(self) -> HttpResponse | None:
        if (response := self.run_hook("before_unpublish", self.request, self.object)) is not None:
            return response
        for item in self.objects_to_unpublish:
            unpublish_item(item=item, user=self.request.user)
        return self.run_hook("after_unpublish", self.request, self.object)

    def get_next_url(self) -> str:
        return reverse(f"{URLS}:edit", args=[quote(self.object.pk)])


class ItemHistoryView(VisibleItemMixin, snippets.HistoryView):
    pass


class ItemUsageView(VisibleItemMixin, snippets.UsageView):
    pass


class ItemPreviewRevisionView(VisibleItemMixin, snippets.PreviewRevisionView):
    pass


class ItemUnscheduleView(VisibleItemMixin, snippets.RevisionsUnscheduleView):
    pass


class ItemCompareView(VisibleItemMixin, snippets.RevisionsCompareView):
    def get_edit_handler(self) -> Any:
        return editor_for(self.object.type).panel


class ItemPreviewOnEditView(VisibleItemMixin, snippets.PreviewOnEditView):
    def get_object(self) -> ContentItem:
        return fitting(super().get_object())

    def get_form_class(self) -> Any:
        return editor_for(self.object.type).form_class


class ItemPreviewOnCreateView(snippets.PreviewOnCreateView):
    def get_object(self) -> ContentItem:
        item_type = requested_type(self.request)
        if not self.user_has_permission("add"):
            raise PermissionDenied
        if item_type is None:
            raise Http404
        now = timezone.now()
        return ContentItem(type=item_type, created_at=now, updated_at=now)

    def get_form_class(self) -> Any:
        return editor_for(self.object.type).form_class


def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the URL and alternative text of a picture to insert into rich text."""
    if not request.user.has_perm("content.change_contentitem") and not request.user.has_perm("content.add_contentitem"):
        raise PermissionDenied
    found = get_object_or_404(MediaImage, pk=pk)
    return JsonResponse({"src": address(found.file.name), "alt": found.alt})


class ItemViewSet(snippets.SnippetViewSet):
    model = ContentItem
    icon = "doc-full"
    url_prefix = "content/items"
    url_namespace = URLS
    chooser_admin_url_namespace = "content_item_chooser"
    chooser_base_url_path = "content/items/choose"
    chooser_viewset_class = ItemChooserViewSet
    #: The content menu lists items by type.
    menu_item_is_registered = True
    index_view_class = ItemIndexView
    add_view_class = ItemCreateView
    edit_view_class = ItemEditView
    copy_view_class = ItemCopyView
    delete_view_class = ItemDeleteView
    usage_view_class = ItemUsageView
    history_view_class = ItemHistoryView
    revisions_view_class = ItemPreviewRevisionView
    revisions_revert_view_class = ItemRevertView
    revisions_compare_view_class = ItemCompareView
    revisions_unschedule_view_class = ItemUnscheduleView
    unpublish_view_class = ItemUnpublishView
    preview_on_add_view_class = ItemPreviewOnCreateView
    preview_on_edit_view_class = ItemPreviewOnEditView
    list_per_page = 30
    edit_template_name = "content_admin/edit_item.html"

    def get_edit_handler(self) -> Any:
        """Return a handler for Wagtail's model-level checks; the views use the panel of the item's type."""
        return ObjectList([FieldPanel("slug")]).bind_to_model(ContentItem)

    def get_form_class(self, for_update: bool = False) -> None:
        """Return None, since a class returned here would override that of the type."""
        return None

    def get_urlpatterns(self) -> list[Any]:
        return [*super().get_urlpatterns(), path("picture/<int:pk>/", picture, name="picture")]
