"""The tickets that an event offers, and promo codes. Prices are in minor units of the site's currency."""

from collections.abc import Collection
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.functional import cached_property

from cms_api.forms.types import FormField, parse_fields
from commerce.common.models import DiscountCodeBase, discount_constraints
from commerce.common.types.discounts import DiscountKind
from commerce.common.types.tax import TaxClass

from ..types.sales import MAX_ACCESS_CODE, MAX_DESCRIPTION, MAX_NAME, Limits, Pricing, SoldUntil


class TicketSales(models.Model):
    """The ticket sales of an event. Its row is locked by everybody who takes or gives back seats of the event."""

    event = models.OneToOneField("content.ContentItem", on_delete=models.CASCADE, primary_key=True, related_name="+")
    asks_names = models.BooleanField("ask for the name of each attendee", default=True)
    #: Definitions of the questions about each attendee; see `FormField.as_stored`.
    questions = models.JSONField(default=list)
    note = models.CharField("note on tickets", max_length=300, blank=True, default="")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "ticket sales"
        verbose_name_plural = "ticket sales"
        ordering = ["-created_at", "-event_id"]
        indexes = [models.Index("created_at", "event", name="ticket_sales_by_creation")]

    def __str__(self) -> str:
        return str(self.event)

    @cached_property
    def schema(self) -> tuple[FormField, ...]:
        return parse_fields(self.questions)


class Quota(models.Model):
    """Seats at each date of an event that several ticket types share."""

    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    size = models.PositiveIntegerField("seats")

    class Meta:
        default_permissions = ()
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(fields=["event", "name"], name="quota_name_once")]

    def __str__(self) -> str:
        return f"{self.name} ({self.size})"


class TicketType(models.Model):
    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    description = models.CharField(max_length=MAX_DESCRIPTION, blank=True, default="")
    position = models.PositiveIntegerField(default=0)
    pricing = models.CharField(max_length=10, choices=Pricing.choices, default=Pricing.FIXED)
    #: The price, or the least that a buyer may pay.
    price_cents = models.BigIntegerField(default=0)
    #: Proposed to buyers who name the price.
    suggested_cents = models.BigIntegerField(null=True, blank=True)
    tax_class = models.CharField(max_length=20, choices=TaxClass.choices, default=TaxClass.STANDARD)
    #: The local start of the only date that it is for; empty for each date.
    start = models.CharField(max_length=19, blank=True, default="")
    #: Seats at each date; null if it has no limit of its own.
    size = models.PositiveIntegerField("seats", null=True, blank=True)
    quota = models.ForeignKey(Quota, null=True, blank=True, on_delete=models.SET_NULL, related_name="types")
    sales_start = models.DateTimeField(null=True, blank=True)
    sales_end = models.DateTimeField(null=True, blank=True)
    sold_until = models.CharField(max_length=10, choices=SoldUntil.choices, blank=True, default=SoldUntil.AUTOMATIC)
    #: Sales for a date end so long before it begins, or ends: see `types.sales.window`.
    closes_minutes = models.PositiveIntegerField(default=0)
    min_per_order = models.PositiveIntegerField(default=1)
    max_per_order = models.PositiveIntegerField(default=10)
    #: Buyers see the type only after they have entered this; see `types.orders.access_key`.
    access_code = models.CharField(max_length=MAX_ACCESS_CODE, blank=True, default="")
    is_offered = models.BooleanField(default=True)
    has_waiting_list = models.BooleanField(default=True)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [models.Index("event", "position", "id", name="ticket_type_of_event")]
        constraints = [
            models.CheckConstraint(
                condition=Q(price_cents__gte=0) & (Q(suggested_cents=None) | Q(suggested_cents__gte=F("price_cents"))),
                name="ticket_type_prices",
            ),
            models.CheckConstraint(
                condition=Q(min_per_order__gte=1, max_per_order__gte=F("min_per_order")), name="ticket_type_per_order"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def limits(self) -> Limits:
        quota = self.quota
        return Limits(self.size, quota.pk if quota else None, quota.size if quota else None)

    @property
    def closes_before(self) -> timedelta:
        return timedelta(minutes=self.closes_minutes)


class PromoCode(DiscountCodeBase):
    """A code that buyers of tickets enter, for all events or for one."""

    kinds: ClassVar[Collection[DiscountKind]] = (DiscountKind.PERCENTAGE, DiscountKind.AMOUNT)
    noun: ClassVar[str] = "ticket order"

    event = models.ForeignKey("content.ContentItem", null=True, blank=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index("created_at", "id", name="promo_code_by_creation")]
        constraints = discount_constraints("promo_code")
