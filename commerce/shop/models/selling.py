"""Shipping methods and discount codes, which change the price of an order."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from commerce.common.types.tax import TaxClass

from ..types.discounts import MAX_CODE, MAX_NOTE, CodeState, Discount, DiscountKind, code_state
from ..types.shipping import MAX_DESCRIPTION, MAX_METHOD_NAME, Bracket, Parcel, ShippingKind, shipping_price


class ShippingMethod(models.Model):
    """A way to get an order to its customer, offered at checkout where it applies."""

    name = models.CharField(max_length=MAX_METHOD_NAME)
    description = models.CharField(
        max_length=MAX_DESCRIPTION, blank=True, default="", help_text="For example the address for pick-ups."
    )
    kind = models.CharField(max_length=10, choices=ShippingKind.choices, default=ShippingKind.FLAT)
    #: Of flat rates and pick-ups.
    price_cents = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    #: Of the other kinds: `[{"up_to": 1000, "price_cents": 500}, {"up_to": null, "price_cents": 900}]`, see `Bracket`.
    brackets = models.JSONField(blank=True, default=list)
    #: The order value from which it is free.
    free_from_cents = models.BigIntegerField(null=True, blank=True)
    #: ISO 3166 codes; everywhere if empty.
    countries = models.JSONField(blank=True, default=list)
    tax_class = models.CharField(max_length=20, choices=TaxClass.choices, default=TaxClass.STANDARD)
    enabled = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0, help_text="Methods with lower numbers come first.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["position", "name", "id"]
        constraints = [models.CheckConstraint(condition=Q(price_cents__gte=0), name="shipping_price_not_negative")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_pickup(self) -> bool:
        return self.kind == ShippingKind.PICKUP

    def price_of(self, parcel: Parcel) -> int | None:
        """Return the price in minor units; None if it is not offered for this parcel."""
        return shipping_price(
            ShippingKind(self.kind),
            parcel,
            price_cents=self.price_cents,
            brackets=[Bracket(**each) for each in self.brackets],
            free_from_cents=self.free_from_cents,
            countries=self.countries,
        )


class DiscountCode(models.Model):
    """A code that customers enter at checkout."""

    #: See `types.discounts.code_key`.
    code = models.CharField(max_length=MAX_CODE, unique=True)
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="", help_text="Customers do not see it.")
    kind = models.CharField(max_length=15, choices=DiscountKind.choices, default=DiscountKind.PERCENTAGE)
    percent = models.DecimalField(
        max_digits=5,
        decimal_places=2,
        default=Decimal(0),
        validators=[MinValueValidator(Decimal(0)), MaxValueValidator(Decimal(100))],
    )
    amount_cents = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    #: The least value of the items.
    minimum_cents = models.BigIntegerField(default=0)
    #: How often it can be used, altogether and by one email address; without a limit if null.
    max_uses = models.PositiveIntegerField(null=True, blank=True)
    max_uses_per_customer = models.PositiveIntegerField(null=True, blank=True)
    #: In how many orders it is used: pending ones whose items are reserved, and those that were paid.
    used = models.PositiveIntegerField(default=0, editable=False)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index("created_at", "id", name="discount_by_creation")]
        constraints = [
            models.CheckConstraint(condition=Q(percent__gte=0, percent__lte=100), name="discount_percent"),
            models.CheckConstraint(condition=Q(amount_cents__gte=0, minimum_cents__gte=0), name="discount_not_negative"),
            models.CheckConstraint(condition=Q(max_uses__isnull=True) | Q(used__lte=F("max_uses")), name="discount_limit"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def state(self) -> CodeState:
        """Return whether it can be used now."""
        dates = {"starts_at": self.starts_at, "ends_at": self.ends_at}
        return code_state(timezone.now(), enabled=self.enabled, **dates, max_uses=self.max_uses, used=self.used)

    @property
    def discount(self) -> Discount:
        return Discount(DiscountKind(self.kind), self.percent, self.amount_cents)
