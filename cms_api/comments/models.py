"""Comments on items."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, Value, When

from .types import MAX_BODY, MAX_NAME, Status


class Comment(models.Model):
    """A visitor's comment on an item, public while it is approved. Written by `services` alone."""

    item = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="comments")
    author_name = models.CharField("name", max_length=MAX_NAME)
    #: For moderators only; never shown on a page.
    email = models.EmailField(max_length=254)
    #: Plain text.
    body = models.TextField("comment", max_length=MAX_BODY)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PENDING)
    reason = models.CharField("spam reason", max_length=200, blank=True, default="")
    created_at = models.DateTimeField()
    #: When it left the moderation queue, by a person or, as spam, by the spam traps. None while it is pending.
    decided_at = models.DateTimeField(null=True, editable=False)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False
    )
    #: 1 while it awaits moderation, so that pending comments come first in an index.
    waits: Any = models.GeneratedField(
        expression=Case(When(status="pending", then=Value(1)), default=Value(0)),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )

    # The item commented on is not content that the comment uses.
    wagtail_reference_index_ignore = True

    class Meta:
        # No `add`: comments come from visitors.
        default_permissions = ("view", "change", "delete")
        ordering = ["-waits", "-created_at", "-id"]
        indexes = [
            models.Index("item", F("created_at").desc(), F("id").desc(), name="comment_shown", condition=Q(status="approved")),
            models.Index(F("waits").desc(), F("created_at").desc(), F("id").desc(), name="comment_waiting"),
            models.Index("decided_at", name="comment_spam", condition=Q(status="spam")),
        ]

    def __str__(self) -> str:
        return f"Comment by {self.author_name}"
