"""Carts of visitors. Nothing in them is reserved, and no price is stored."""

from django.db import models
from django.db.models import Q

from ..types.orders import MAX_NOTE
from .menu import MenuItem


class MenuCart(models.Model):
    """A visitor's cart, found by its token in a cookie."""

    token = models.CharField(max_length=40, unique=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("updated_at", "id", name="menu_cart_by_change")]

    def __str__(self) -> str:
        return f"Cart {self.pk}"


class MenuCartItem(models.Model):
    cart = models.ForeignKey(MenuCart, on_delete=models.CASCADE, related_name="items", db_index=False)
    item = models.ForeignKey(MenuItem, on_delete=models.CASCADE, related_name="+")
    #: Ids of the chosen options, in ascending order.
    options = models.JSONField(default=list)
    quantity = models.PositiveIntegerField()
    notes = models.CharField(max_length=MAX_NOTE, blank=True, default="")

    class Meta:
        default_permissions = ()
        ordering = ["id"]
        indexes = [models.Index("cart", "id", name="menu_cart_item_of_cart")]
        constraints = [models.CheckConstraint(condition=Q(quantity__gt=0), name="menu_cart_item_some")]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.item}"
