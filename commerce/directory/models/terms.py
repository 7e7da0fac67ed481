"""Plans that owners of listings can buy, and what they have bought."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from commerce.common.types import MAX_EMAIL
from commerce.common.types.money import Money

from ..types.listings import MAX_NAME
from ..types.terms import MAX_PLAN_DESCRIPTION, MAX_PLAN_NAME, PlanKind, PurchaseStatus
from .listings import Listing


class Plan(models.Model):
    """A term, or a featured placement, at a price."""

    name = models.CharField(max_length=MAX_PLAN_NAME)
    description = models.CharField(max_length=MAX_PLAN_DESCRIPTION, blank=True, default="")
    kind = models.CharField(max_length=10, choices=PlanKind.choices, default=PlanKind.TERM)
    months = models.PositiveSmallIntegerField(default=12)
    price_cents = models.BigIntegerField("price")
    currency = models.CharField(max_length=3, editable=False)
    #: Whether it can be bought.
    enabled = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0, help_text="Plans with lower numbers come first.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["kind", "position", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(price_cents__gt=0), name="listing_plan_has_price"),
            models.CheckConstraint(condition=Q(months__gt=0), name="listing_plan_has_months"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def price(self) -> Money:
        return Money(self.price_cents, self.currency)


class Purchase(models.Model):
    """A plan as it was bought for a listing. Later changes of the plan change nothing in it."""

    #: Null once the listing is deleted.
    listing = models.ForeignKey(Listing, null=True, on_delete=models.SET_NULL, related_name="purchases", db_index=False)
    listing_name = models.CharField(max_length=MAX_NAME, editable=False)
    plan = models.ForeignKey(Plan, null=True, on_delete=models.SET_NULL, related_name="purchases")
    plan_name = models.CharField(max_length=MAX_PLAN_NAME, editable=False)
    kind = models.CharField(max_length=10, choices=PlanKind.choices, editable=False)
    months = models.PositiveSmallIntegerField(editable=False)
    total_cents = models.BigIntegerField(editable=False)
    currency = models.CharField(max_length=3, editable=False)
    status = models.CharField(max_length=10, choices=PurchaseStatus.choices, default=PurchaseStatus.PENDING, editable=False)
    #: The account that buys it, and its address.
    buyer = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    email = models.EmailField(max_length=MAX_EMAIL, editable=False)
    #: Whether a payment that takes days is on its way.
    is_processing = models.BooleanField(default=False, editable=False)
    #: The period that it has paid for; null until it is paid.
    starts_at = models.DateTimeField(null=True, editable=False)
    ends_at = models.DateTimeField(null=True, editable=False)
    paid_at = models.DateTimeField(null=True, editable=False)
    refunded_cents = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index("created_at", "id", name="purchase_by_creation"),
            models.Index("status", "created_at", "id", name="purchase_by_status"),
            models.Index("listing", "created_at", "id", name="purchase_by_listing"),
        ]
        constraints = [
            # A second attempt to buy the same continues the first one.
            models.UniqueConstraint(
                "listing", "kind", condition=Q(status=PurchaseStatus.PENDING), name="listing_purchase_pending_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.plan_name}, {self.listing_name}"

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.currency)

    @property
    def is_pending(self) -> bool:
        return self.status == PurchaseStatus.PENDING
