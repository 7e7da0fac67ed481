"""Reads of comments, and of items that take comments."""

from dataclasses import dataclass

from django.db.models import QuerySet

from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id, visible_types
from cms_api.content.types import Status as ItemStatus
from cms_api.flags.selectors import is_on

from .models import Comment
from .types import Status

#: Moves with the tag of every item whose public comments change; pages depend on the tag alone.
VERSION = "comments"

#: Comments per page.
PER_PAGE = 100


def comments_tag(item_id: int) -> str:
    """Return the tag of pages that show an item's comments. It is not the item's own tag, as lists and cards show no comments."""
    return f"comments:{item_id}"


def takes_comments(item: ContentItem) -> bool:
    """Return whether the item has a public page and takes comments."""
    item_type = type_by_id(item.type_id)
    is_public = item.status == ItemStatus.PUBLISHED and item.owner_id is None
    return is_public and item_type.has_detail and item_type.comments_enabled and is_on(item_type.feature)


def find_item(item_id: int) -> ContentItem | None:
    """Return the item if visitors may comment on it."""
    found = ContentItem.objects.filter(pk=item_id).defer("cached_json", "data").first()
    if found is None or not takes_comments(found):
        return None
    found.type = type_by_id(found.type_id)
    return found


@dataclass(frozen=True)
class Thread:
    """A page of an item's comments, oldest first. Page 1 has the newest comments, so that the current discussion is visible."""

    comments: list[Comment]
    total: int
    number: int

    @property
    def older(self) -> int | None:
        """The number of the page with older comments."""
        return self.number + 1 if self.total > self.number * PER_PAGE else None

    @property
    def newer(self) -> int | None:
        return self.number - 1 if self.number > 1 else None


def thread_of(item_id: int, number: int = 1) -> Thread:
    """Return a page of an item's approved comments (two statements). A number beyond the last page means the last page."""
    approved = Comment.objects.filter(item_id=item_id, status=Status.APPROVED).order_by("-created_at", "-id")
    total = approved.count()
    number = max(1, min(number, -(-total // PER_PAGE)))
    shown = approved.only("author_name", "body", "created_at")[(number - 1) * PER_PAGE : number * PER_PAGE]
    return Thread(list(shown)[::-1], total, number)


def visible_comments() -> QuerySet[Comment]:
    """Return comments on items whose type is switched on, in the order in which to moderate them."""
    types = [found.pk for found in visible_types().values()]
    return Comment.objects.filter(item__type_id__in=types).select_related("item").defer("item__cached_json", "item__data")


def are_taken() -> bool:
    """Return whether the items of any visible type take comments."""
    return any(found.comments_enabled for found in visible_types().values())
