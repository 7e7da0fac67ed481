"""Stores the reviews that visitors write."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits, Visit
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.webhooks.services import emit

from ..models import Invitation, Review
from ..types import OPEN_KINDS, Subject
from . import notices
from .reading import read_written

#: The visitors' budget that reviews are charged to: one for all records, so that nobody can spam each of them in turn.
PURPOSE = "reviews"
LIMITS = Limits(a_minute=5, an_hour=20, flood=200)
AGAIN = "You've already reviewed this. Thank you!"


def submit_review(
    *, values: Mapping[str, Any], visit: Visit, invitation: Invitation | None = None, subject: Subject | None = None
) -> Review:
    """Store a visitor's review (`rating`, `title`, `body`, `author_name`, `author_email`), to be moderated, or as spam.

    Without a `subject` it is about the business; a subject is one of the invitation's, or of a kind that everybody may review.
    An invited review has the invitation's address. Raises Invalid by attribute, `subject` if it was reviewed already, and
    whatever `visitors.judge` raises.
    """
    if subject is not None and not _may_review(subject, invitation):
        raise Invalid({"subject": invalid_choice("subject")})
    written = read_written({**values, "author_email": invitation.email} if invitation else values)
    texts = [written[name] for name in ("author_name", "title", "body")]
    spam = visitors.judge(purpose=PURPOSE, visit=visit, texts=texts, limits=LIMITS)
    try:
        with transaction.atomic():
            return _store(written, invitation, subject, spam)
    except IntegrityError:
        raise Invalid({"subject": AGAIN}) from None


def _may_review(subject: Subject, invitation: Invitation | None) -> bool:
    if invitation is None:
        return subject.kind in OPEN_KINDS
    return subject.key in {each.key for each in invitation.about}


def _store(written: Mapping[str, Any], invitation: Invitation | None, subject: Subject | None, spam: str) -> Review:
    now = timezone.now()
    about = {"subject_kind": subject.kind, "subject_id": subject.id, "subject_name": subject.name} if subject else {}
    state = {"is_visible": False, "is_spam": True, "hidden_reason": spam, "decided_at": now} if spam else {"pending": True}
    review = Review.objects.create(
        **written, **about, **state, invitation=invitation, left_at=now, created_at=now, updated_at=now
    )
    get_search_backend().add(review)
    if not spam:
        emit("review.received", review)
        notices.notify_staff(review)
    return review
