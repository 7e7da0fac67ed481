"""What staff decide about: claims of listings, and changes to their moderated parts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from ..types.listings import MAX_MESSAGE, MAX_REASON, ChangeStatus, ClaimMethod, ClaimStatus
from .listings import Listing


class Claim(models.Model):
    """The request of an account to own a listing that exists already."""

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="claims", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    method = models.CharField(max_length=10, choices=ClaimMethod.choices)
    status = models.CharField(max_length=10, choices=ClaimStatus.choices, default=ClaimStatus.PENDING)
    #: Of a claim that staff check: how the person is related to the listing.
    message = models.TextField(max_length=MAX_MESSAGE, blank=True, default="")
    #: A keyed digest of the code that was sent; empty for claims that staff check.
    code_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    code_expires_at = models.DateTimeField(null=True, editable=False)
    #: Wrong codes so far.
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    decided_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="claim_by_creation"),
            models.Index("status", "created_at", "id", name="claim_by_status"),
            models.Index("listing", "created_at", "id", name="claim_by_listing"),
        ]
        constraints = [
            models.UniqueConstraint(
                "listing", "user", condition=Q(status=ClaimStatus.PENDING), name="listing_claim_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.listing}, {self.user}"

    @property
    def is_pending(self) -> bool:
        return self.status == ClaimStatus.PENDING


class ListingChange(models.Model):
    """Changes that an owner asks for, of the parts that are moderated. A later one replaces it."""

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="changes", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    #: The wanted values by name; categories are ids.
    values = models.JSONField()
    status = models.CharField(max_length=10, choices=ChangeStatus.choices, default=ChangeStatus.PENDING)
    reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    decided_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("view", "change")
        verbose_name = "change"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="listing_change_by_creation"),
            models.Index("status", "created_at", "id", name="listing_change_by_status"),
        ]
        constraints = [
            models.UniqueConstraint("listing", condition=Q(status=ChangeStatus.PENDING), name="listing_change_pending_once"),
        ]

    def __str__(self) -> str:
        return f"Change of {self.listing}"

    @property
    def is_pending(self) -> bool:
        return self.status == ChangeStatus.PENDING
