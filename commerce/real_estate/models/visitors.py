"""Saved searches of accounts, and inquiries about listings."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.http.link_keys import LinkedRecord
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE

from ..types.listings import MAX_KEY, MAX_MESSAGE, MAX_SEARCH_NAME, MAX_TEXT, MAX_TITLE, Frequency
from .listings import Property


class SavedSearch(LinkedRecord):
    """A search of an account, whose new results are mailed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=MAX_SEARCH_NAME)
    #: The values of `types.searches.SearchFilter` that are set.
    query = models.JSONField(default=dict)
    frequency = models.CharField(max_length=10, choices=Frequency.choices, default=Frequency.DAILY)
    #: Listings that became active after this have not been mailed.
    last_sent_at = models.DateTimeField()
    #: When the next email is due; null if never.
    due_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "saved searches"
        default_permissions = ("view", "delete")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("user", "created_at", "id", name="saved_search_of_user"),
            models.Index("created_at", "id", name="saved_search_by_creation"),
            models.Index("due_at", "id", name="saved_search_due", condition=Q(due_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return self.name


class Inquiry(models.Model):
    """A visitor's question about a listing. The snapshot outlives the listing."""

    #: Null once it has been removed.
    listing = models.ForeignKey(Property, null=True, on_delete=models.SET_NULL, related_name="inquiries")
    title = models.CharField(max_length=MAX_TITLE)
    listing_key = models.CharField(max_length=MAX_KEY)
    agent_name = models.CharField(max_length=2 * MAX_TEXT, blank=True, default="")
    name = models.CharField(max_length=2 * MAX_NAME)
    email = models.EmailField(max_length=MAX_EMAIL)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    message = models.TextField(max_length=MAX_MESSAGE)
    is_spam = models.BooleanField(default=False)
    spam_reason = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "inquiries"
        default_permissions = ("view", "change", "delete")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="inquiry_by_creation"),
            models.Index("is_spam", "created_at", "id", name="inquiry_by_spam"),
        ]

    def __str__(self) -> str:
        return f"Inquiry of {self.name}"
