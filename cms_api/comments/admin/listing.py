"""The listing of comments: those that wait first, found by status, type of item and words."""

from typing import Any

import django_filters
from django import forms
from django.db.models import Q
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.text import Truncator
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import BulkActionsCheckboxColumn, Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.permissions import policy_registry

from cms_api.adminkit.columns import local_date
from cms_api.content.models import ContentItem, ContentType
from cms_api.content.selectors import visible_types
from cms_api.text.search import matching

from ..models import Comment
from ..selectors import visible_comments
from ..types import Status

SUMMARY = 80


def inspect_url(comment: Comment) -> str:
    return reverse("comments:inspect", args=[comment.pk])


def excerpt(comment: Comment) -> str:
    return Truncator(" ".join(comment.body.split())).chars(SUMMARY)


class CommentFilterSet(WagtailFilterSet):
    status = django_filters.ChoiceFilter(choices=Status.choices, widget=forms.RadioSelect, empty_label="All")
    type = django_filters.ModelChoiceFilter(
        field_name="item__type",
        label="Type of item",
        queryset=lambda request: ContentType.objects.filter(pk__in=[found.pk for found in visible_types().values()]),
        to_field_name="slug",
        widget=forms.RadioSelect,
        empty_label="All",
    )

    class Meta:
        model = Comment
        fields = ("status", "type")


def found_by_words(comments: Any, text: str) -> Any:
    """Those on items that a search would find, and those of an author."""
    if not text.strip():
        return comments
    items = matching(ContentItem.objects.all(), text).order_by().values("pk")
    found = text.replace("\0", "").strip()
    return comments.filter(Q(item__in=items) | Q(author_name__icontains=found) | Q(email__icontains=found))


def listed(query: Any) -> Any:
    """Every comment of the listing that these parameters of its address show."""
    filters = CommentFilterSet(query, queryset=visible_comments())
    return found_by_words(filters.qs, query.get("q", "")) if filters.is_valid() else visible_comments().none()


class DecideColumn(Column):
    """Buttons for a comment that waits, so that nobody has to open each."""

    cell_template_name = "comments_admin/decide_cell.html"

    def get_cell_context_data(self, instance: Comment, parent_context: Any) -> dict[str, Any]:
        request = parent_context["request"]
        may_change = policy_registry.get_by_type(Comment).user_has_permission(request.user, "change")
        # The listing, also where its rows alone are fetched anew.
        back = f"{reverse('comments:index')}?{request.GET.urlencode()}"
        context: dict[str, Any] = super().get_cell_context_data(instance, parent_context)
        return context | {"csrf_token": get_token(request), "may_change": may_change, "next": back}


class CommentIndexView(generic.IndexView):
    template_name = "comments_admin/index.html"
    filterset_class = CommentFilterSet
    is_searchable = True
    default_ordering = ("-waits", "-created_at", "-id")
    list_display = [
        BulkActionsCheckboxColumn("bulk_actions", obj_type="comment"),
        "excerpt",
        Column("author_name", label="Author"),
        Column("item", label="Item", accessor="item.title"),
        StatusTagColumn(
            "status", label="Status", accessor="get_status_display", primary=lambda found: found.status == Status.APPROVED
        ),
        Column("created_at", label="When", accessor=lambda found: local_date(found.created_at), sort_key="created_at"),
        DecideColumn("decide", label="Decide"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        found = title(
            "excerpt",
            label="Comment",
            accessor=excerpt,
            get_url=self.get_inspect_url,
            get_title_id=lambda comment: f"comment_{comment.pk}_title",
        )
        return [found if column == "excerpt" else column for column in self.list_display]

    def get_base_queryset(self) -> Any:
        return visible_comments()

    def search_queryset(self, queryset: Any) -> Any:
        return found_by_words(queryset, self.search_query)

    def get_list_more_buttons(self, instance: Comment) -> list[MenuItem]:
        found = [MenuItem("Read", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10)]
        if delete_url := self.get_delete_url(instance):
            found.append(MenuItem("Delete", url=delete_url, icon_name="bin", priority=30))
        return found
