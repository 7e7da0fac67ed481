"""Builders of reviews by their services, with the changes that a test needs."""

import itertools
import json
import time
from typing import Any
from unittest import mock

from django.utils import timezone

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Visit
from cms_api.mail.models import OutgoingMail
from commerce.reviews.models import Invitation, Review
from commerce.reviews.services import approve_review, hide_review, submit_review, sync_reviews
from commerce.reviews.services.syncing import Synced
from commerce.reviews.types import Source, Subject

_numbers = itertools.count(1)


def visit(honeypot: str = "", *, seconds: int = 30) -> Visit:
    """A visitor with an address of their own, who has read the form for some seconds."""
    number = next(_numbers)
    with mock.patch("time.time", return_value=time.time() - seconds):
        stamp = visitors.stamp("reviews")
    return Visit(f"10.{number // 65536}.{number // 256 % 256}.{number % 256}", honeypot, stamp)


def written(**changes: Any) -> dict[str, Any]:
    return {
        "rating": 5,
        "title": "A patient teacher",
        "body": "My bowl even holds soup.",
        "author_name": "Dana Reyes",
        "author_email": "dana@example.com",
        **changes,
    }


def make_review(*, subject: Subject | None = None, invitation: Invitation | None = None, **changes: Any) -> Review:
    """A review that awaits moderation, of the business unless it is about a subject."""
    if subject is not None and invitation is None:
        invitation = make_invitation(subject)
    return submit_review(values=written(**changes), visit=visit(), invitation=invitation, subject=subject)


def public_review(**changes: Any) -> Review:
    review = make_review(**changes)
    approve_review(review=review)
    return review


def hidden_review(**changes: Any) -> Review:
    review = make_review(**changes)
    hide_review(review=review, reason="Insults a member of our staff.")
    return review


def make_invitation(*subjects: Subject, email: str = "dana@example.com", **changes: Any) -> Invitation:
    """An invitation that was sent, for an order that nobody looks at."""
    now = timezone.now()
    about = [{"kind": each.kind, "id": each.id, "name": each.name} for each in subjects]
    values = {"source": Source.ORDER, "record_id": 10**9 + next(_numbers), "state": "sent", "sent_at": now, "due_at": now}
    return Invitation.objects.create(
        **{**values, "subjects": about, "name": "Dana Reyes", "email": email, "created_at": now, "updated_at": now, **changes}
    )


def google(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A review as Google's API has it."""
    return {
        "reviewId": f"g-{number}",
        "reviewer": {"displayName": "Ruth Adeyemi"},
        "starRating": "FOUR",
        "comment": "Lovely place.",
        "createTime": f"2026-01-{number:02d}T10:00:00.000000Z",
        **changes,
    }


def sync(*rows: dict[str, Any], provider: str = "google", is_complete: bool = False) -> Synced:
    content = json.dumps({"reviews": list(rows)}).encode()
    return sync_reviews(provider=provider, content=content, is_complete=is_complete)


def synced_review(number: int = 1, **changes: Any) -> Review:
    sync(google(number, **changes))
    return Review.objects.get(provider_key=f"google:g-{number}")


def mails(template: str) -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template=template).order_by("pk"))
