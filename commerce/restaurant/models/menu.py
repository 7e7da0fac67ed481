"""The menu: dishes in categories, with options. Prices are in minor units of the site's currency."""

from django.db import models
from django.db.models import F, Q

from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import CategoryBase
from commerce.common.types.tax import TaxClass

from ..types.menu import MAX_DESCRIPTION, MAX_NAME


class MenuCategory(CategoryBase):
    """A part of the menu, which has no page of its own."""

    name = models.CharField(max_length=MAX_NAME)
    slug = None  # type: ignore[assignment]
    is_visible = models.BooleanField("on the menu", default=True)

    class Meta(CategoryBase.Meta):
        verbose_name = "menu category"
        verbose_name_plural = "menu categories"


class MenuItem(IndexedText, models.Model):
    """A dish or a drink."""

    category = models.ForeignKey(MenuCategory, on_delete=models.PROTECT, related_name="items", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True, default="")
    price_cents = models.BigIntegerField()
    image = models.ForeignKey("media.Media", null=True, on_delete=models.SET_NULL, related_name="+")
    #: Values of `Allergen` and of `Diet`.
    allergens = models.JSONField(blank=True, default=list)
    diets = models.JSONField(blank=True, default=list)
    tax_class = models.CharField(max_length=20, choices=TaxClass.choices, default=TaxClass.STANDARD)
    is_available = models.BooleanField("available", default=True, help_text="Sold-out dishes stay on the menu.")
    is_visible = models.BooleanField("on the menu", default=True)
    position = models.PositiveIntegerField(default=0, help_text="Dishes with lower numbers come first in their category.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "dish"
        verbose_name_plural = "dishes"
        ordering = ["position", "name", "id"]
        indexes = [
            models.Index("category", "position", "name", "id", name="menu_item_of_category"),
            models.Index("created_at", "id", name="menu_item_by_creation"),
        ]
        constraints = [models.CheckConstraint(condition=Q(price_cents__gte=0), name="menu_item_price_not_negative")]

    def __str__(self) -> str:
        return self.name

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.description} {self.category.name}"))


class OptionGroup(models.Model):
    """Something that customers choose with a dish: "Size", one of them, or "Extras", up to three."""

    item = models.ForeignKey(MenuItem, on_delete=models.CASCADE, related_name="groups", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    minimum = models.PositiveIntegerField(default=0)
    maximum = models.PositiveIntegerField(default=1)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint("item", "name", name="option_group_once"),
            models.CheckConstraint(condition=Q(maximum__gte=1, minimum__lte=F("maximum")), name="option_group_numbers"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_single(self) -> bool:
        return self.maximum == 1

    @property
    def rule(self) -> str:
        """Return how many are to be chosen, in words."""
        if self.minimum == self.maximum:
            return f"Choose {self.minimum}"
        return f"Choose {self.minimum} to {self.maximum}" if self.minimum else f"Choose up to {self.maximum}"


class Option(models.Model):
    group = models.ForeignKey(OptionGroup, on_delete=models.CASCADE, related_name="options", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    #: Added to the price of the dish.
    price_cents = models.BigIntegerField(default=0)
    is_available = models.BooleanField(default=True)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint("group", "name", name="option_once"),
            models.CheckConstraint(condition=Q(price_cents__gte=0), name="option_price_not_negative"),
        ]

    def __str__(self) -> str:
        return self.name
