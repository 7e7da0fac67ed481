"""Shipping methods and discount codes, which change the price of an order."""

from django.db import models
from django.db.models import Q

from commerce.common.models import DiscountCodeBase, discount_constraints
from commerce.common.types.tax import TaxClass

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

    @property
    def has_amounts(self) -> bool:
        """Return whether something of it is in its currency."""
        return bool(self.price_cents or self.brackets or self.free_from_cents is not None)

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


class DiscountCode(DiscountCodeBase):
    """A discount code of the shop."""

    class Meta(DiscountCodeBase.Meta):
        indexes = [models.Index("created_at", "id", name="discount_by_creation")]
        constraints = discount_constraints("discount")
