"""Feeds of listings, and their runs."""

import secrets
from typing import Any

from django.conf import settings
from django.core.files.storage import Storage
from django.db import models
from django.db.models import Q

from cms_api.core.leases import Leased
from cms_api.media.services.private import private_storage

from ..types.listings import (
    MAX_CLIENT_ID,
    MAX_ERROR,
    MAX_FEED_NAME,
    MAX_FILE_NAME,
    MAX_KEY,
    MAX_LICENSE,
    MAX_TOKEN,
    MAX_URL,
    OPEN,
    FeedKind,
    RunKind,
    RunStatus,
)


class Feed(Leased):
    """A source of listings, imported by one process at a time."""

    name = models.CharField(max_length=MAX_FEED_NAME, unique=True)
    kind = models.CharField(max_length=10, choices=FeedKind.choices, default=FeedKind.RESO)
    url = models.CharField("URL", max_length=MAX_URL, blank=True, default="", help_text="The address of the Property resource.")
    #: Sent as a bearer token. Never shown, and never logged.
    token = models.CharField(max_length=MAX_TOKEN, blank=True, default="", editable=False)
    #: The client credentials of OAuth 2, whose tokens end. The secret is never shown, and never logged.
    token_url = models.CharField(
        "token URL",
        max_length=MAX_URL,
        blank=True,
        default="",
        help_text="For providers that give you a client ID.",
    )
    client_id = models.CharField("client ID", max_length=MAX_CLIENT_ID, blank=True, default="")
    client_secret = models.CharField(max_length=MAX_TOKEN, blank=True, default="", editable=False)
    scope = models.CharField(max_length=MAX_CLIENT_ID, blank=True, default="", help_text="If the provider names one.")
    #: The token that they have got, and when it ends, if the service says so.
    access_token = models.TextField(blank=True, default="", editable=False)
    access_token_ends_at = models.DateTimeField(null=True, editable=False)
    enabled = models.BooleanField(default=True)
    interval_minutes = models.PositiveIntegerField("minutes between two imports", default=60)
    page_size = models.PositiveIntegerField("listings per request", default=1000)
    currency = models.CharField(max_length=3)
    country = models.CharField(max_length=2, help_text="Of listings that name none.")
    copies_photos = models.BooleanField("copy photos", default=True)
    photo_license = models.CharField(
        "license of the photos",
        max_length=MAX_LICENSE,
        blank=True,
        default="",
        help_text="Required if photos are linked at their source instead of being copied.",
    )
    shows_coming_soon = models.BooleanField("show listings that are coming soon", default=False)
    #: The start of the last complete run, from which the next one reads changes.
    watermark = models.DateTimeField(null=True, editable=False)
    keys_checked_at = models.DateTimeField(null=True, editable=False)
    next_run_at = models.DateTimeField(null=True, editable=False)
    #: Whether the server sends media with the listings.
    expands_media = models.BooleanField(default=True, editable=False)
    #: Whether its listings have a `ListingKey`, and not only a `ListingKeyNumeric`.
    has_text_keys = models.BooleanField(default=True, editable=False)
    #: Whether its answers have the number of all listings.
    counts = models.BooleanField(default=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index("next_run_at", name="feed_due", condition=Q(enabled=True))]

    def __str__(self) -> str:
        return self.name


def run_files() -> Storage:
    """Return the storage of uploaded files until they are imported."""
    return private_storage("property-feeds")


def random_name(run: "FeedRun", filename: str) -> str:
    return secrets.token_hex(20)


def no_problems() -> dict[str, Any]:
    return {"total": 0, "named": []}


class FeedRun(models.Model):
    """An import from a feed, and its figures."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="runs", db_index=False)
    kind = models.CharField(max_length=10, choices=RunKind.choices)
    status = models.CharField(max_length=10, choices=RunStatus.choices, default=RunStatus.RUNNING)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    #: When a paused run goes on.
    resumes_at = models.DateTimeField(null=True)
    #: Failed requests since the last successful one.
    failures = models.PositiveIntegerField(default=0)
    #: The number of records that the server says there are, in its last answer that says so.
    counted = models.PositiveIntegerField(null=True)
    read = models.PositiveIntegerField(default=0)
    created = models.PositiveIntegerField(default=0)
    updated = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    #: Listings among those created and updated that may not be shown.
    hidden = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    #: Records of the file, or pages, that are done.
    position = models.PositiveBigIntegerField(default=0)
    #: The address of the next page, as the server gave it.
    next_link = models.TextField(blank=True, default="")
    #: `{"total": 2, "named": [{"key": "RE-7", "message": "The ListPrice is missing."}]}`, at most `MAX_PROBLEMS` of them.
    problems = models.JSONField(default=no_problems)
    error = models.CharField(max_length=MAX_ERROR, blank=True, default="")
    file = models.FileField(upload_to=random_name, storage=run_files, max_length=100, blank=True, default="")
    filename = models.CharField(max_length=MAX_FILE_NAME, blank=True, default="")
    #: Whether listings that are not in the file are removed.
    is_complete = models.BooleanField(default=False)
    #: Whether many listings may be removed at once.
    allows_removals = models.BooleanField(default=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        verbose_name = "import"
        default_permissions = ("view",)
        ordering = ["-started_at", "-id"]
        indexes = [
            models.Index("started_at", "id", name="feed_run_by_start"),
            models.Index("feed", "started_at", "id", name="feed_run_of_feed"),
        ]
        constraints = [
            models.UniqueConstraint("feed", name="feed_run_open_once", condition=Q(status__in=[str(each) for each in OPEN]))
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.feed}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def figures(self) -> dict[str, int]:
        names = ("read", "created", "updated", "unchanged", "hidden", "removed", "skipped")
        return {name: getattr(self, name) for name in names}


class SeenKey(models.Model):
    """A listing key that a run has found, so that others can be removed at its end."""

    run = models.ForeignKey(FeedRun, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=MAX_KEY)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint("run", "key", name="seen_key_once")]

    def __str__(self) -> str:
        return self.key
