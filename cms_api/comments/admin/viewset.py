"""The pages of comments: the listing, one comment whole, and what may be done with it."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.actions.delete import DeleteAction
from wagtail.actions.registry import action_registry
from wagtail.admin import messages
from wagtail.admin.menu import MenuItem
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button
from wagtail.permissions import policy_registry

from cms_api.adminkit.admin import RecordAction
from cms_api.adminkit.columns import local_date

from ..models import Comment
from ..selectors import are_taken, takes_comments, visible_comments
from ..services import approve_comments, delete_comments, reject_comments
from .listing import CommentIndexView, excerpt, inspect_url

ALREADY = "Somebody else has decided about it meanwhile."


class DeleteComment(DeleteAction):
    def _delete(self) -> Any:
        delete_comments(comments=[self.instance], user=self.user)


action_registry.register(Comment, DeleteComment)


class CommentsMenuItem(MenuItem):
    """Shown to those who may decide, while the items of some type take comments."""

    def is_shown(self, request: HttpRequest) -> bool:
        return are_taken() and policy_registry.get_by_type(Comment).user_has_permission(request.user, "change")


class CommentInspectView(generic.InspectView):
    """A comment whole, with who wrote it, and what may be done with it."""

    template_name = "comments_admin/comment.html"
    page_title = "Comment"
    object: Comment

    def get_object(self, queryset: Any = None) -> Comment:
        return get_object_or_404(visible_comments().select_related("item__type", "decided_by"), pk=self.kwargs["pk"])

    def get_page_subtitle(self) -> str:
        return excerpt(self.object)

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        found = [Button("History", url=reverse("comments:history", args=[self.object.pk]), icon_name="history", priority=10)]
        if delete_url := self.get_delete_url():
            found.append(Button("Delete", url=delete_url, icon_name="bin", priority=20))
        return found

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        item = self.object.item
        return super().get_context_data(
            **kwargs,
            item_url=item.url if takes_comments(item) else "",
            written_on=local_date(self.object.created_at),
            decided_on=local_date(self.object.decided_at),
            may_change=self.user_has_permission("change"),
        )


class Decision(RecordAction):
    """A button; leads back to where it was."""

    model = Comment

    def get_queryset(self) -> Any:
        return visible_comments()

    def home(self, record: Comment) -> str:
        return inspect_url(record)


class ApproveView(Decision):
    def act(self, request: HttpRequest, record: Comment) -> None:
        if approve_comments(comments=[record], user=request.user):
            messages.success(request, "Approved. Its item shows it now.")
        else:
            messages.warning(request, ALREADY)


class MarkAsSpamView(Decision):
    def act(self, request: HttpRequest, record: Comment) -> None:
        if reject_comments(comments=[record], user=request.user):
            messages.success(request, "Marked as spam. It is deleted after 30 days.")
        else:
            messages.warning(request, ALREADY)


class CommentViewSet(ModelViewSet):
    model = Comment
    icon = "comment"
    menu_label = "Comments"
    menu_order = 155
    menu_item_class = CommentsMenuItem
    add_to_admin_menu = True
    name = url_prefix = url_namespace = "comments"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = True
    list_per_page = 50
    search_fields = ["author_name"]
    index_view_class = CommentIndexView
    inspect_view_class = CommentInspectView
    # Nobody writes one by hand; Wagtail wants to know all the same.
    form_fields = ["body"]

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = {"add_url_name": None, "edit_url_name": None, "usage_url_name": None}
        return super().get_common_view_kwargs(**kwargs) | none

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("inspect/<int:pk>/", self.inspect_view, name="inspect"),
            path("approve/<int:pk>/", ApproveView.as_view(), name="approve"),
            path("spam/<int:pk>/", MarkAsSpamView.as_view(), name="mark_as_spam"),
            path("delete/<int:pk>/", self.delete_view, name="delete"),
            path("history/<int:pk>/", self.history_view, name="history"),
            path("history-results/<int:pk>/", self.history_results_view, name="history_results"),
        ]
