"""Subscribers and mailing lists."""

from typing import Any

from django.db import models, transaction
from django.db.models import Q

from cms_api.core import versions
from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import Person
from commerce.common.types import MAX_EMAIL, MAX_TAG

from ..types import LISTS, MAX_SOURCE, Status


class Subscriber(LinkedRecord, Person, IndexedText, models.Model):
    """A person who gets, requested or has unsubscribed from mailings, identified by email. Written by `services` only."""

    #: Lower case; never changes.
    email = models.EmailField(max_length=MAX_EMAIL, unique=True)
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.PENDING)
    tags = models.JSONField(blank=True, default=list)
    #: Where the subscriber came from: `api`, `form`, `import`, `admin`, or a value set by an integration.
    source = models.CharField(max_length=MAX_SOURCE, blank=True, default="")
    confirmed_at = models.DateTimeField(null=True, editable=False)
    unsubscribed_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="subscriber_by_creation"),
            models.Index("updated_at", "id", name="subscriber_by_change"),
            models.Index("status", "created_at", "id", name="subscriber_by_status"),
            models.Index("status", "updated_at", "id", name="subscriber_by_status_change"),
            models.Index("status", "email", "id", name="subscriber_by_status_email"),
            models.Index("confirmed_at", name="subscriber_by_confirmation", condition=Q(confirmed_at__isnull=False)),
            models.Index("unsubscribed_at", name="subscriber_by_unsubscription", condition=Q(unsubscribed_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.email}"))


class MailingList(models.Model):
    """A list visitors can subscribe to; its subscribers have its tag. Changes invalidate the pages that show it."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=300, blank=True, default="", help_text="Shown to visitors beside the name.")
    tag = models.CharField(max_length=MAX_TAG, unique=True, help_text="Subscribers with this tag are on the list.")
    is_public = models.BooleanField("open to visitors", default=True)
    position = models.PositiveIntegerField(default=0, help_text="Lower numbers come first.")

    class Meta:
        ordering = ["position", "name", "id"]

    def __str__(self) -> str:
        return self.name

    @transaction.atomic
    def save(self, *args: Any, **kwargs: Any) -> None:
        super().save(*args, **kwargs)
        versions.bump(LISTS)

    @transaction.atomic
    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        deleted = super().delete(*args, **kwargs)
        versions.bump(LISTS)
        return deleted
