"""Items in the admin: Wagtail's views for models with drafts, with a form per type, backed by the services."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.utils import timezone
from django.utils.text import capfirst
from wagtail.admin import messages
from wagtail.admin.panels import FieldPanel, ObjectList
from wagtail.admin.utils import set_query_params
from wagtail.admin.views.generic import RevisionsRevertMixin
from wagtail.log_actions import log
from wagtail.models import Revision
from wagtail.snippets.side_panels import SnippetStatusSidePanel
from wagtail.snippets.views import snippets

from cms_api.adminkit.columns import local_date
from cms_api.adminkit.views import Deleting, Saving
from cms_api.adminkit.viewset import ListingViewSet
from cms_api.core.locks import get_row
from cms_api.fields import FIELD_TYPES
from cms_api.flags.services import notify
from cms_api.media.models import MediaImage
from cms_api.media.selectors import address
from cms_api.text.search import matching

from ..models import ContentItem, ContentType
from ..selectors import visible_types
from ..services import items
from ..types import Status, public_status
from .access import VisibleItemMixin, fitting, requested_type, visible, visible_items, visible_or_404
from .choosers import ItemChooserViewSet
from .forms import editor_for
from .kinds import KindMixin, KindsView
from .listing import BULK_ACTIONS, COLUMNS, FILTERS, ItemAction, ItemListView
from .urls import URLS, add_url, list_url


def new_item(item_type: ContentType | None) -> ContentItem:
    now = timezone.now()
    return ContentItem(type=item_type, created_at=now, updated_at=now)


class TypesView(KindsView):
    page_title = "New content"
    header_icon = "plus"
    question = "What do you want to write?"
    nothing = "There are no content types yet."
    listing = ("Content", f"{URLS}:list")

    def kinds(self) -> Any:
        for found in sorted(visible_types().values(), key=lambda found: found.name.lower()):
            yield found.icon, found.name, found.description, add_url(found)


class TypedFormMixin(Saving):
    """First base of the create, edit and copy views: sets the panel and form of the item's type, and its name in headings."""

    kind: ContentType | None = None
    action: str
    autosave_enabled: bool
    expects_json_response: bool
    object: Any
    request: HttpRequest
    get_edit_url: Callable[[], str]

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)  # type: ignore[misc]
        self.preview_enabled = bool(self.kind and self.kind.has_detail)

    def get_panel(self) -> Any:
        return editor_for(self.kind).panel if self.kind else None

    def get_header_icon(self) -> str:
        return self.kind.icon if self.kind else "doc-full"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        crumbs: list[dict[str, Any]] = super().get_breadcrumbs_items()  # type: ignore[misc]
        if self.kind:
            crumbs[-2] = {"url": list_url(self.kind), "label": self.kind.name_plural}
        return crumbs

    @property
    def publishes(self) -> bool:
        """Whether this request publishes the item, in the same step as it saves it: a refusal changes nothing."""
        return bool(self.action == "publish")

    def finish_saving(self, item: ContentItem) -> ContentItem:
        if self.publishes:
            log(instance=item, action="wagtail.publish", user=self.request.user, revision=item.latest_revision)
        self.new_revision = item.latest_revision
        if not self.expects_json_response:
            self._name_dropped(item)
        return item

    def _name_dropped(self, item: ContentItem) -> None:
        """Say which formatting the editor sent was not kept."""
        for field in item.type.schema:
            if dropped := FIELD_TYPES[field.type].find_ignored(self.request.POST.get(f"data__{field.key}")):
                messages.warning(self.request, f"{field.label}: {', '.join(dropped)} was not kept.")

    def publish_action(self) -> None:
        """Do nothing: `save_instance` has published the item."""

    def get_success_message(self, instance: ContentItem | None = None) -> str:
        item: ContentItem = instance or self.object
        done = "saved as a draft"
        if self.publishes:
            done = "published" if item.status == Status.PUBLISHED else "scheduled for publishing"
        return f"{capfirst(item.type.name)} '{item}' {done}."

    def get_success_url(self) -> str:
        return list_url(self.kind) if self.publishes else self.get_edit_url()


class ItemCreateView(KindMixin, TypedFormMixin, snippets.CreateView):
    kinds_view = staticmethod(TypesView.as_view())

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        self.kind = self.requested_kind(request, **kwargs)
        super().setup(request, *args, **kwargs)
        # An autosave while the title is being typed would give the item a slug made from its first letters.
        self.autosave_enabled = False

    def requested_kind(self, request: HttpRequest, **kwargs: Any) -> ContentType | None:
        return requested_type(request)

    def get_initial_form_instance(self) -> ContentItem:
        return new_item(self.kind)

    def get_page_subtitle(self) -> str:
        return self.kind.name if self.kind else ""

    def get_add_url(self) -> str:
        return add_url(self.kind) if self.kind else reverse(f"{URLS}:add")

    def get_preview_url(self) -> str | None:
        url = super().get_preview_url()
        return set_query_params(url, {"type": self.kind.slug}) if url and self.kind else None

    def save_instance(self) -> ContentItem:
        sent = self.form.values()
        status = public_status(sent.get("published_at"), now=timezone.now()) if self.publishes else Status.DRAFT
        values = {**sent, "status": status}
        user = self.request.user
        return self.finish_saving(items.create_item(item_type=self.kind, values=values, user=user, complete=self.publishes))


class ItemCopyView(ItemCreateView):
    """Creates an item with the content of another as initial values."""

    def requested_kind(self, request: HttpRequest, **kwargs: Any) -> ContentType:
        self.source = visible_or_404(get_object_or_404(ContentItem, pk=kwargs["pk"]))
        return self.source.type

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
        return f"This item will be published on {date}. A saved draft changes what will be published."
    if item.status == Status.UNPUBLISHED:
        return "This item is no longer on the site."
    if item.live and item.has_unpublished_changes:
        return "The site shows an earlier version. The changes below are an unpublished draft."
    return ""


class ItemEditView(VisibleItemMixin, TypedFormMixin, snippets.EditView):
    def get_object(self, queryset: Any = None) -> ContentItem:
        item = fitting(super().get_object(queryset))
        self.kind = item.type
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

    def save_instance(self) -> ContentItem:
        stored = get_row(ContentItem.objects.all(), self.object.pk)
        values, user = items.content_of(self.form.instance), self.request.user
        if self.publishes:
            values["status"] = public_status(self.form.instance.published_at, now=timezone.now())
            return self.finish_saving(items.update_item(item=stored, values=values, user=user))
        # Only values that differ from the stored item, so that the rest is not validated again.
        values["data"] = {key: value for key, value in values["data"].items() if value != stored.data.get(key)}
        item, _ = items.save_draft(item=stored, values=values, user=user, overwrite=self._overwritable(stored))
        return self.finish_saving(item)

    def _overwritable(self, stored: ContentItem) -> Revision | None:
        """Return the user's own latest revision, unless it is the public one."""
        revision = self.overwrite_revision
        if revision is None:
            return None
        if revision.pk != stored.latest_revision_id or revision.user_id != self.request.user.pk:
            raise PermissionDenied("A newer version was saved meanwhile.")
        return None if revision.pk == stored.live_revision_id else revision


class ItemRevertView(RevisionsRevertMixin, ItemEditView):
    """Shows an earlier version in the form, which is saved like any other."""

    view_name = "revisions_revert"

    def get_object(self, queryset: Any = None) -> ContentItem:
        return fitting(visible_or_404(super().get_object(queryset)))

    def save_instance(self) -> ContentItem:
        return ItemEditView.save_instance(self)

    def get_success_message(self, instance: ContentItem | None = None) -> str:
        return ItemEditView.get_success_message(self, instance)


class ItemDeleteView(Deleting, VisibleItemMixin, snippets.DeleteView):
    def get_success_url(self) -> str:
        return list_url(self.object.type)

    def get_success_message(self) -> str:
        return f"{capfirst(self.object.type.name)} '{self.object}' deleted."

    @property
    def confirmation_message(self) -> str:
        return " ".join(filter(None, (super().confirmation_message, *notify("content.item_deletion_asked", self.object))))

    def delete_action(self) -> None:
        items.delete_item(item=self.object, user=self.request.user)

    def get_own_url(self) -> str:
        return reverse(f"{URLS}:edit", args=[quote(self.object.pk)])


class ItemUnpublishView(VisibleItemMixin, snippets.UnpublishView):
    def unpublish(self) -> HttpResponse | None:
        if (response := self.run_hook("before_unpublish", self.request, self.object)) is not None:
            return response
        for item in self.objects_to_unpublish:
            items.unpublish_item(item=item, user=self.request.user)
        return self.run_hook("after_unpublish", self.request, self.object)

    def get_next_url(self) -> str:
        return reverse(f"{URLS}:edit", args=[quote(self.object.pk)])


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
        return new_item(item_type)

    def get_form_class(self) -> Any:
        return editor_for(self.object.type).form_class


def picture(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the URL and alternative text of a picture to insert into rich text."""
    if not request.user.has_perm("content.change_contentitem") and not request.user.has_perm("content.add_contentitem"):
        raise PermissionDenied
    found = get_object_or_404(MediaImage, pk=pk)
    return JsonResponse({"src": address(found.file.name), "alt": found.alt})


class ItemViewSet(ListingViewSet, snippets.SnippetViewSet):
    model = ContentItem
    icon = "doc-full"
    url_prefix = "content/items"
    url_namespace = URLS
    chooser_admin_url_namespace = "content_item_chooser"
    chooser_base_url_path = "content/items/choose"
    chooser_viewset_class = ItemChooserViewSet
    #: The content menu lists items by type.
    menu_item_is_registered = True
    index_view_class = ItemListView
    index_results_template_name = "content_admin/item_list_results.html"
    list_display, filters, search = COLUMNS, FILTERS, matching
    bulk_actions, bulk_action_class = BULK_ACTIONS, ItemAction
    search_label, search_order = "Content", 110
    ordering = ("-listed_at", "-id")
    add_view_class = ItemCreateView
    edit_view_class = ItemEditView
    copy_view_class = ItemCopyView
    delete_view_class = ItemDeleteView
    usage_view_class = visible(snippets.UsageView)
    history_view_class = visible(snippets.HistoryView)
    revisions_view_class = visible(snippets.PreviewRevisionView)
    revisions_revert_view_class = ItemRevertView
    revisions_compare_view_class = ItemCompareView
    revisions_unschedule_view_class = visible(snippets.RevisionsUnscheduleView)
    unpublish_view_class = ItemUnpublishView
    preview_on_add_view_class = ItemPreviewOnCreateView
    preview_on_edit_view_class = ItemPreviewOnEditView
    list_per_page = 30
    add_to_reference_index = True
    edit_template_name = "content_admin/edit_item.html"

    def records(self) -> QuerySet[ContentItem]:
        return visible_items().defer("cached_json", "data")

    def get_edit_handler(self) -> Any:
        """Return a handler for Wagtail's model-level checks; the views use the panel of the item's type."""
        return ObjectList([FieldPanel("slug")]).bind_to_model(ContentItem)

    def get_form_class(self, for_update: bool = False) -> None:
        """Return None, since a class returned here would override that of the type."""
        return None

    def get_urlpatterns(self) -> list[Any]:
        return [*super().get_urlpatterns(), path("picture/<id:pk>/", picture, name="picture")]
