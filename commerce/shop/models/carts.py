"""Carts of visitors. Nothing in them is reserved, and no price is stored."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .catalogue import ProductVariant


class Cart(models.Model):
    """A visitor's cart, found by its token in a cookie; an account has one on all devices."""

    token = models.CharField(max_length=40, unique=True)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    #: As entered; checked with each calculation.
    discount_code = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("updated_at", "id", name="cart_by_change")]

    def __str__(self) -> str:
        return f"Cart {self.pk}"


class CartItem(models.Model):
    cart = models.ForeignKey(Cart, on_delete=models.CASCADE, related_name="items", db_index=False)
    variant = models.ForeignKey(ProductVariant, on_delete=models.CASCADE, related_name="+")
    quantity = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint("cart", "variant", name="cart_item_once"),
            models.CheckConstraint(condition=Q(quantity__gt=0), name="cart_item_some"),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.variant}"

    @property
    def total_cents(self) -> int:
        return self.variant.price_cents * self.quantity
