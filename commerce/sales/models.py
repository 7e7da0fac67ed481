"""The common columns of orders and their lines. Each kind has tables of its own."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from commerce.common.types import MAX_EMAIL
from commerce.common.types.money import Money


class Sale(LinkedRecord, IndexedText, models.Model):
    """An order of a customer, as it was placed. A kind adds its `status`, of which `PENDING` waits for a payment."""

    #: Such as `ORD-1001`.
    number = models.CharField(max_length=20, unique=True, editable=False)
    email = models.EmailField(max_length=MAX_EMAIL)
    #: The account that placed it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)

    currency = models.CharField(max_length=3, editable=False)
    prices_include_tax = models.BooleanField(default=False, editable=False)
    #: The price of the items before discounts, and the discount on them.
    subtotal_cents = models.BigIntegerField(default=0, editable=False)
    discount_cents = models.BigIntegerField(default=0, editable=False)
    tax_cents = models.BigIntegerField(default=0, editable=False)
    #: The amount that the customer pays.
    total_cents = models.BigIntegerField(default=0, editable=False)
    #: Money that has been given back.
    refunded_cents = models.BigIntegerField(default=0, editable=False)
    #: `[{"label": "VAT", "percent": "20", "net_cents": 1000, "tax_cents": 200}]`, highest rate first.
    taxes = models.JSONField(default=list, editable=False)

    #: Whether a payment that takes days is on its way.
    is_processing = models.BooleanField(default=False, editable=False)
    paid_at = models.DateTimeField(null=True, editable=False)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    PENDING: ClassVar[str] = "pending"

    class Meta:
        abstract = True
        # No `add`: customers place orders.
        default_permissions = ("view", "change")
        ordering: ClassVar[list[str]] = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.number

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.currency)

    @property
    def is_pending(self) -> bool:
        return bool(self.status == self.PENDING)


class SaleLine(models.Model):
    """An item of an order, by its name and price of then. A kind adds its `order`, and the record that was sold."""

    position = models.PositiveIntegerField(default=0)
    quantity = models.PositiveIntegerField()
    unit_price_cents = models.BigIntegerField()
    tax_cents = models.BigIntegerField(default=0)

    class Meta:
        abstract = True
        default_permissions = ()
        ordering: ClassVar[list[str]] = ["position", "id"]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.full_name}"

    @property
    def full_name(self) -> str:
        return str(self.name)  # type: ignore[attr-defined]

    @property
    def total_cents(self) -> int:
        """Return what its pieces cost before the discount of the order."""
        return self.unit_price_cents * self.quantity


class DiscountedLine(SaleLine):
    """A line that has its share of the order's discount; its tax is what is left after that."""

    discount_cents = models.BigIntegerField(default=0)

    class Meta(SaleLine.Meta):
        abstract = True

    @property
    def paid_cents(self) -> int:
        """Return what the customer pays for it, with tax."""
        tax = 0 if self.order.prices_include_tax else self.tax_cents  # type: ignore[attr-defined]
        return self.total_cents - self.discount_cents + tax
