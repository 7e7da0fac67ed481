"""The points ledger, and each member's balance, which is the sum of its entries. Written by `services` only."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .types import MAX_NOTE, MAX_REASON, MAX_REFERENCE, reason_in_words


class PointsEntry(models.Model):
    """Points earned (positive) or spent (negative). Immutable."""

    member = models.ForeignKey("members.Member", on_delete=models.CASCADE, related_name="points_entries", db_index=False)
    points = models.BigIntegerField()
    reason = models.CharField(max_length=MAX_REASON)
    #: The record the points were given for, such as `review:318`; if set, unique per member and reason.
    reference = models.CharField(max_length=MAX_REFERENCE, blank=True, default="")
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="")
    #: The user who made a manual adjustment.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "points entries"
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("member", "created_at", "id", name="points_of_member"),
            models.Index("created_at", "id", name="points_by_creation"),
            models.Index("reason", "created_at", "id", name="points_by_reason"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["member", "reason", "reference"], condition=~Q(reference=""), name="points_once"),
            models.CheckConstraint(condition=~Q(points=0), name="points_not_nothing"),
        ]

    def __str__(self) -> str:
        return f"{self.points:+d} {self.reason_words}"

    @property
    def reason_words(self) -> str:
        return reason_in_words(self.reason)


class PointsBalance(models.Model):
    """A member's points balance; absent before the first entry."""

    member = models.OneToOneField("members.Member", on_delete=models.CASCADE, related_name="points_balance")
    points = models.BigIntegerField(default=0)
    #: Time of the last entry.
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-points", "id"]
        indexes = [
            models.Index("points", "id", name="balance_by_points"),
            models.Index("updated_at", "id", name="balance_by_change"),
        ]
        constraints = [models.CheckConstraint(condition=Q(points__gte=0), name="balance_not_negative")]

    def __str__(self) -> str:
        return str(self.member)
