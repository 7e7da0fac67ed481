"""Publishes, hides and answers reviews. Each decision counts once, however often and from wherever it is made."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import Invalid, required_message
from cms_api.core.locks import lock_row
from cms_api.fields.base import FieldPath, read_line
from cms_api.webhooks.services import emit
from commerce.loyalty.services import award_review_bonus

from ..models import Review
from ..types import MAX_REASON, MAX_REPLY, SPAM_RETENTION, VERSION, subject_tag
from . import notices
from .reading import read_body

_BATCH_ROWS = 1000


@transaction.atomic
def approve_review(*, review: Review, user: Any = None) -> bool:
    """Publish a review that is pending or hidden; return False if it is public already.

    Its author gets the loyalty bonus, whatever the rating, and once, however often it is hidden and published again.
    """
    locked = _lock(review)
    if locked.is_public:
        return False
    was_spam = locked.is_spam
    locked.pending, locked.is_visible, locked.is_spam, locked.hidden_reason = False, True, False, ""
    _decide(locked, "reviews.approve", user)
    _award(locked)
    if was_spam:
        # It arrives only now.
        emit("review.received", locked)
    _copy(locked, review)
    return True


def _award(review: Review) -> None:
    email = review.author_email
    if email and not review.received_points and award_review_bonus(email=email, review_id=review.pk):
        review.received_points = True
        review.save(update_fields=["received_points"])


@transaction.atomic
def hide_review(*, review: Review, reason: str, user: Any = None) -> bool:
    """Take a review off the site, or out of the moderation queue; it is kept. Return False if it is hidden already.

    Raises Invalid (`reason`).
    """
    reason = read_line(reason, FieldPath("reason", "reason"), MAX_REASON) or ""
    if not reason:
        raise Invalid({"reason": required_message("reason")})
    locked = _lock(review)
    if not locked.is_visible:
        return False
    locked.pending, locked.is_visible, locked.hidden_reason = False, False, reason
    _decide(locked, "reviews.hide", user, data={"reason": reason})
    _copy(locked, review)
    return True


@transaction.atomic
def reply_to_review(*, review: Review, reply: str, user: Any = None) -> bool:
    """Answer a review publicly, or remove the answer if it is empty; return False if nothing changed. Raises Invalid (`reply`).

    The author gets an email with the first answer.
    """
    reply = read_body(reply, "reply", MAX_REPLY)
    locked = _lock(review)
    if locked.reply == reply:
        return False
    is_first = locked.replied_at is None
    now = timezone.now()
    locked.reply, locked.updated_at = reply, now
    locked.replied_at = now if is_first and reply else locked.replied_at
    locked.save(update_fields=["reply", "replied_at", "updated_at"])
    log(instance=locked, action="reviews.reply" if reply else "reviews.remove_reply", user=user)
    invalidate([locked])
    if is_first and reply:
        notices.send_reply(locked)
    _copy(locked, review)
    return True


def _lock(review: Review) -> Review:
    return lock_row(Review.objects.filter(pk=review.pk))


def _decide(review: Review, action: str, user: Any, data: Any = None) -> None:
    review.decided_at = review.updated_at = timezone.now()
    review.decided_by = user
    review.save(update_fields=["pending", "is_visible", "is_spam", "hidden_reason", "decided_at", "decided_by", "updated_at"])
    log(instance=review, action=action, user=user, data=data)
    invalidate([review])


def _copy(locked: Review, review: Review) -> None:
    """Let the caller's record show what has changed."""
    for field in Review._meta.concrete_fields:
        setattr(review, field.attname, getattr(locked, field.attname))


def invalidate(changed: Iterable[Review]) -> None:
    """Have pages with public reviews made again. Called in the transaction of the change."""
    tags = {subject_tag(each.subject_kind, each.subject_id) for each in changed if each.subject_id is not None}
    versions.bump(VERSION, tags=tags)


def clear_spam_reviews() -> None:
    """Delete spam older than `SPAM_RETENTION`. A periodic job."""
    old = Review.objects.filter(is_spam=True, decided_at__lt=timezone.now() - SPAM_RETENTION).order_by("decided_at")
    while pks := list(old.values_list("pk", flat=True)[:_BATCH_ROWS]):
        # One of them may have been published meanwhile.
        old.order_by().filter(pk__in=pks).delete()
