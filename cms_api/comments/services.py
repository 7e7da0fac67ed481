"""Writes of comments: submission and moderation."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit
from cms_api.content.models import ContentItem
from cms_api.core import versions
from cms_api.core.module import Block
from cms_api.core.not_found import NotFound
from cms_api.mail.services import queue_to_business
from cms_api.mail.types import particulars

from .models import Comment
from .selectors import VERSION, comments_tag, takes_comments
from .types import SPAM_RETENTION, Status, Written, read_comment

#: The visitors' budget that comments are charged to: one for all items, so that nobody can spam each item in turn.
PURPOSE = "comments"
LIMITS = Limits(a_minute=5, an_hour=30, flood=300)

MAIL = "comment_received"
BY_HAND = "Marked as spam manually."

_BATCH_ROWS = 1000


def submit_comment(*, item: ContentItem, visit: Visit, values: Mapping[str, Any]) -> Comment:
    """Store a visitor's comment on an item (`name`, `email`, `comment`), pending moderation or marked as spam.

    Raises NotFound if the item takes no comments, Invalid, and whatever `visitors.judge` raises.
    """
    if not takes_comments(item):
        raise NotFound
    written = read_comment(values)
    reason = visitors.judge(purpose=PURPOSE, visit=visit, texts=(written.name, written.comment), limits=LIMITS)
    with transaction.atomic():
        return _store(item, written, reason)


def _store(item: ContentItem, written: Written, reason: str) -> Comment:
    # Locked until the end: if the item were deleted meanwhile, the comment would have no item.
    stored = ContentItem.objects.select_for_update(no_key=True).filter(pk=item.pk).defer("cached_json", "data").first()
    if stored is None or not takes_comments(stored):
        raise NotFound
    now = timezone.now()
    comment = Comment.objects.create(
        item=stored,
        author_name=written.name,
        email=written.email,
        body=written.comment,
        status=Status.SPAM if reason else Status.PENDING,
        reason=reason,
        created_at=now,
        decided_at=now if reason else None,
    )
    if not reason:
        _notify(comment)
    return comment


def _notify(comment: Comment) -> None:
    """Queue the notification to the business; replies go to the comment's author."""
    said = (("Name", comment.author_name), ("Email", comment.email), ("Comment", comment.body))
    url = f"{settings.BASE_URL}/admin/comments/inspect/{comment.pk}/"
    queue_to_business(
        template=MAIL,
        context={
            "item": comment.item.title,
            "comment": particulars(said),
            "link": Block(f"Review the comment: {url}", f'<a href="{url}">Review the comment</a>'),
        },
        reply_to=comment.email,
    )


def approve_comments(*, comments: Iterable[Comment], user: Any = None) -> int:
    """Publish comments on the pages of their items at once. Return how many changed."""
    return _decide(comments, Status.APPROVED, action="comments.approve", user=user)


def reject_comments(*, comments: Iterable[Comment], user: Any = None) -> int:
    """Mark comments as spam. Return how many changed."""
    return _decide(comments, Status.SPAM, action="comments.mark_as_spam", reason=BY_HAND, user=user)


@transaction.atomic
def _decide(comments: Iterable[Comment], status: Status, *, action: str, reason: str = "", user: Any = None) -> int:
    """Set the status of comments that still have the one the caller saw: of two concurrent decisions, only one counts."""
    decided = [comment for comment in _lock(comments) if comment.status != status]
    Comment.objects.filter(pk__in=[comment.pk for comment in decided]).update(
        status=status, reason=reason, decided_at=timezone.now(), decided_by=user
    )
    for comment in decided:
        log(instance=comment, action=action, user=user)
    _invalidate_pages(comment.item_id for comment in decided if Status.APPROVED in (comment.status, status))
    return len(decided)


@transaction.atomic
def delete_comments(*, comments: Iterable[Comment], user: Any = None) -> int:
    """Delete comments permanently. Return how many were deleted."""
    locked = _lock(comments)
    for comment in locked:
        log(instance=comment, action="wagtail.delete", user=user, deleted=True)
    Comment.objects.filter(pk__in=[comment.pk for comment in locked]).delete()
    _invalidate_pages(comment.item_id for comment in locked if comment.status == Status.APPROVED)
    return len(locked)


def _lock(comments: Iterable[Comment]) -> list[Comment]:
    """Lock the comments, skipping any that are gone or whose status differs from what the caller saw."""
    seen = {comment.pk: comment.status for comment in comments}
    locked = Comment.objects.select_for_update().filter(pk__in=seen).order_by("pk")
    return [comment for comment in locked if comment.status == seen[comment.pk]]


def _invalidate_pages(item_ids: Iterable[int]) -> None:
    tags = {comments_tag(item_id) for item_id in item_ids}
    if tags:
        versions.bump(VERSION, tags=tags)


def clear_spam() -> None:
    """Delete spam older than `SPAM_RETENTION`."""
    old = Comment.objects.filter(status=Status.SPAM, decided_at__lt=timezone.now() - SPAM_RETENTION).order_by("decided_at")
    while ids := list(old.values_list("pk", flat=True)[:_BATCH_ROWS]):
        # One of them may have been approved meanwhile.
        old.order_by().filter(pk__in=ids).delete()
