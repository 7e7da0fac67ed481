"""Products with their variants, pictures and files, in categories."""

import secrets

from django.core.files.storage import Storage
from django.db import models
from django.db.models import F, Q

from cms_api.media.services.private import private_storage
from cms_api.text.html import strip_tags
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import CategoryBase
from commerce.common.types import MAX_SLUG
from commerce.common.types.money import Money
from commerce.common.types.tax import TaxClass

from ..types.products import MAX_PRODUCT_NAME, MAX_SKU, MAX_SUMMARY, ProductKind, ProductStatus


class ProductCategory(CategoryBase):
    """A category of products."""


class Product(IndexedText, models.Model):
    """A product. Customers buy its variants; a product without options has one, without a name."""

    name = models.CharField(max_length=MAX_PRODUCT_NAME)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    summary = models.CharField(max_length=MAX_SUMMARY, blank=True, default="")
    #: Clean HTML.
    description = models.TextField(blank=True, default="")
    status = models.CharField(max_length=10, choices=ProductStatus.choices, default=ProductStatus.DRAFT)
    kind = models.CharField(max_length=10, choices=ProductKind.choices, default=ProductKind.PHYSICAL)
    category = models.ForeignKey(
        ProductCategory, null=True, blank=True, on_delete=models.SET_NULL, related_name="products", db_index=False
    )
    tax_class = models.CharField(max_length=20, choices=TaxClass.choices, default=TaxClass.STANDARD)
    currency = models.CharField(max_length=3)
    #: `[{"name": "Size", "values": ["S", "M"]}]`, in display order.
    options = models.JSONField(blank=True, default=list)
    #: Those of the cheapest variant, so that lists can be sorted and filtered by price.
    price_cents = models.BigIntegerField(default=0, editable=False)
    compare_at_price_cents = models.BigIntegerField(null=True, editable=False)
    meta_title = models.CharField(max_length=200, blank=True, default="")
    meta_description = models.CharField(max_length=300, blank=True, default="")
    published_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="product_by_creation"),
            models.Index("updated_at", "id", name="product_by_change"),
            models.Index("status", "created_at", "id", name="product_by_status"),
            models.Index("status", "price_cents", "id", name="product_by_price"),
            models.Index("status", "name", "id", name="product_by_name"),
            models.Index("category", "status", "created_at", "id", name="product_by_category"),
        ]
        constraints = [models.CheckConstraint(condition=Q(price_cents__gte=0), name="product_price_not_negative")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_digital(self) -> bool:
        return self.kind == ProductKind.DIGITAL

    @property
    def is_published(self) -> bool:
        return self.status == ProductStatus.PUBLISHED

    @property
    def price(self) -> Money:
        """Return the price of the cheapest variant."""
        return Money(self.price_cents, self.currency)

    @property
    def search_text(self) -> str:
        """Return the searchable text. Reads the variants."""
        skus = " ".join(f"{variant.sku} {variant.name}" for variant in self.variants.all())
        return " ".join(unique_words(f"{self.name} {self.summary} {strip_tags(self.description)} {skus}"))


class ProductVariant(models.Model):
    """An article: a product in one combination of its options, with a price and a stock of its own."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="variants", db_index=False)
    #: The values of the product's options, in their order; empty for the only variant of a product without options.
    values = models.JSONField(blank=True, default=list)
    #: See `types.products.variant_name`.
    name = models.CharField(max_length=200, blank=True, default="", editable=False)
    sku = models.CharField("SKU", max_length=MAX_SKU, blank=True, default="")
    price_cents = models.BigIntegerField()
    #: The price before a reduction.
    compare_at_price_cents = models.BigIntegerField(null=True, blank=True)
    #: Pieces in the store; null if they are not counted.
    stock = models.IntegerField(null=True, blank=True)
    #: Pieces of it that are reserved for orders which are being paid.
    reserved = models.PositiveIntegerField(default=0, editable=False)
    weight_grams = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    #: Whether the business has been notified that few are left; cleared when there are more.
    is_low = models.BooleanField(default=False, editable=False)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [models.Index("product", "position", "id", name="variant_of_product")]
        constraints = [
            models.UniqueConstraint("product", "name", name="variant_once"),
            models.UniqueConstraint("sku", name="variant_sku_once", condition=~Q(sku="")),
            models.CheckConstraint(condition=Q(price_cents__gte=0), name="variant_price_not_negative"),
            models.CheckConstraint(condition=Q(stock__isnull=True) | Q(stock__gte=0), name="variant_stock_not_negative"),
            models.CheckConstraint(
                condition=Q(compare_at_price_cents__isnull=True) | Q(compare_at_price_cents__gt=F("price_cents")),
                name="variant_reduced",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.product.name}, {self.name}" if self.name else self.product.name

    @property
    def available(self) -> int | None:
        """Return how many can be sold at present; None if there is no limit."""
        return None if self.stock is None else max(0, self.stock - self.reserved)

    @property
    def price(self) -> Money:
        return Money(self.price_cents, self.product.currency)


class ProductPicture(models.Model):
    """A picture of a product; the first one represents it in lists."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="pictures", db_index=False)
    media = models.ForeignKey("media.Media", on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint("product", "media", name="product_picture_once")]

    def __str__(self) -> str:
        return f"{self.product}, {self.position + 1}"


def product_files() -> Storage:
    """Return the storage of files that customers download."""
    return private_storage("products")


def random_name(file: "ProductFile", filename: str) -> str:
    return secrets.token_hex(20)


class ProductFile(models.Model):
    """A file that buyers of a digital product download."""

    product = models.ForeignKey(Product, on_delete=models.CASCADE, related_name="files", db_index=False)
    file = models.FileField(upload_to=random_name, storage=product_files, max_length=100)
    filename = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    position = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(editable=False)
    #: When it was taken off the product. Customers who had ordered it by then can still download it.
    removed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [models.Index("product", "position", "id", name="file_of_product")]

    def __str__(self) -> str:
        return self.filename
