"""Campaigns that donations are for, and the fundraisers of supporters. Amounts are in minor units of the site's currency."""

from datetime import date

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_SLUG

from ..types.donations import MAX_STORY, MAX_SUMMARY, MAX_TITLE, FundraiserStatus


class Cause(IndexedText, models.Model):
    """A page with a goal, which donations count towards."""

    name = models.CharField(max_length=MAX_TITLE)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    story = models.TextField(max_length=MAX_STORY, blank=True, default="")
    image = models.ForeignKey("media.Media", null=True, on_delete=models.SET_NULL, related_name="+")
    #: Null for one without a goal.
    goal_cents = models.BigIntegerField("goal", null=True, blank=True)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class Campaign(Cause):
    summary = models.CharField(max_length=MAX_SUMMARY, blank=True, default="")
    #: Suggested, in minor units: `[2500, 5000]`. Those of the settings if it is empty.
    amounts = models.JSONField(default=list, blank=True)
    #: Purposes that donors choose from: `["Youth workshops"]`.
    designations = models.JSONField(default=list, blank=True)
    #: The last day on which it takes donations; null for one without an end.
    ends_on = models.DateField(null=True, blank=True)
    has_fundraisers = models.BooleanField("supporters can start fundraisers", default=False)
    #: Whether donors and their messages are listed.
    shows_donors = models.BooleanField("donors are listed", default=True)
    is_visible = models.BooleanField("takes donations", default=True)
    position = models.PositiveIntegerField(default=0, help_text="Campaigns with lower numbers come first.")

    class Meta:
        ordering = ["position", "name", "id"]
        indexes = [models.Index("created_at", "id", name="campaign_by_creation")]
        constraints = [models.CheckConstraint(condition=Q(goal_cents__isnull=True) | Q(goal_cents__gt=0), name="campaign_goal")]

    def has_ended(self, today: date) -> bool:
        return self.ends_on is not None and self.ends_on < today

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.summary} {self.story}"))


class Fundraiser(LinkedRecord, Cause):
    """A page on which a supporter collects for a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="fundraisers")
    status = models.CharField(max_length=10, choices=FundraiserStatus.choices, default=FundraiserStatus.PENDING, editable=False)
    organizer = models.CharField(max_length=2 * MAX_NAME)
    email = models.EmailField(max_length=MAX_EMAIL)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="fundraiser_by_creation"),
            models.Index("status", "created_at", "id", name="fundraiser_by_status"),
            models.Index("email", name="fundraiser_by_email"),
        ]
        constraints = [models.CheckConstraint(condition=Q(goal_cents__isnull=True) | Q(goal_cents__gt=0), name="fundraiser_goal")]

    @property
    def is_public(self) -> bool:
        return self.status in {FundraiserStatus.PUBLISHED, FundraiserStatus.ENDED}

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.organizer} {self.email} {self.story}"))
