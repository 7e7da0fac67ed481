"""Orders as they were placed: later edits of products, prices and taxes change nothing in them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines
from cms_api.text.search import unique_words
from commerce.common.types import MAX_NAME, MAX_PHONE
from commerce.sales.models import DiscountedLine, Sale

from ..types.orders import CUSTOMER_STATUS, MAX_CARRIER, MAX_NOTE, MAX_TRACKING, MAX_TRACKING_URL, OrderStatus, carrier_name
from ..types.products import MAX_PRODUCT_NAME, MAX_SKU
from ..types.shipping import MAX_METHOD_NAME
from .carts import Cart
from .catalogue import Product, ProductVariant
from .selling import DiscountCode


class Order(Sale):
    status = models.CharField(max_length=10, choices=OrderStatus.choices, default=OrderStatus.PENDING, editable=False)
    name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    #: The cart that it was made from; the next checkout of the same cart reuses a pending order.
    cart = models.ForeignKey(Cart, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)

    #: After its own discount.
    shipping_cents = models.BigIntegerField(default=0, editable=False)
    #: The tax in `shipping_cents`, or beside it where prices do not include tax.
    shipping_tax_cents = models.BigIntegerField(default=0, editable=False)

    discount = models.ForeignKey(DiscountCode, null=True, on_delete=models.SET_NULL, related_name="orders", editable=False)
    discount_code = models.CharField(max_length=40, blank=True, default="", editable=False)
    #: Whether it counts among the uses of its discount code.
    has_redeemed = models.BooleanField(default=False, editable=False)

    shipping_method = models.CharField(max_length=MAX_METHOD_NAME, blank=True, default="", editable=False)
    #: Whether anything has to be sent or picked up.
    is_shipped = models.BooleanField(default=True, editable=False)
    is_pickup = models.BooleanField(default=False, editable=False)
    #: `{"name", "street", "street2", "city", "state", "postal_code", "country"}`; null if nothing is sent.
    shipping_address = models.JSONField(null=True)
    billing_address = models.JSONField(null=True)
    customer_note = models.TextField(max_length=MAX_NOTE, blank=True, default="", editable=False)
    wants_news = models.BooleanField(default=False, editable=False)

    #: Of the latest shipment.
    carrier = models.CharField(max_length=MAX_CARRIER, blank=True, default="", editable=False)
    tracking_number = models.CharField(max_length=MAX_TRACKING, blank=True, default="", editable=False)
    tracking_url = models.URLField(max_length=MAX_TRACKING_URL, blank=True, default="", editable=False)

    #: Until when its items are reserved; null if they are not, or not any more.
    reserved_until = models.DateTimeField(null=True, editable=False)
    #: The network of the visitor who placed it, until it is paid or cancelled; that of a free order for a day.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", editable=False)
    #: When its customer was reminded of the payment.
    reminded_at = models.DateTimeField(null=True, editable=False)
    placed_at = models.DateTimeField(editable=False)
    fulfilled_at = models.DateTimeField(null=True, editable=False)

    class Meta(Sale.Meta):
        indexes = [
            models.Index("created_at", "id", name="order_by_creation"),
            models.Index("updated_at", "id", name="order_by_change"),
            # The last column spares the count of abandoned orders a look at each of them.
            models.Index("status", "created_at", "id", "is_processing", name="order_by_status"),
            models.Index("email", "created_at", "id", name="order_by_email"),
            models.Index("paid_at", "id", name="order_by_payment", condition=Q(paid_at__isnull=False)),
            models.Index("reserved_until", "id", name="order_reserved", condition=Q(reserved_until__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint("cart", name="order_of_cart", condition=Q(status=OrderStatus.PENDING, cart__isnull=False)),
            models.CheckConstraint(
                condition=Q(
                    subtotal_cents__gte=0, discount_cents__gte=0, shipping_cents__gte=0, tax_cents__gte=0, total_cents__gte=0
                ),
                name="order_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(refunded_cents__gte=0, refunded_cents__lte=F("total_cents")), name="order_refunds_within"
            ),
        ]

    @property
    def shipping_lines(self) -> list[str]:
        return _lines(self.shipping_address)

    @property
    def billing_lines(self) -> list[str]:
        return _lines(self.billing_address)

    @property
    def is_free_sale(self) -> bool:
        """Return whether it counts as sold, and nothing was paid for it: it is cancelled, as there is nothing to refund."""
        return self.status in (OrderStatus.PAID, OrderStatus.FULFILLED) and not self.total_cents

    @property
    def customer_status(self) -> str:
        """Return the status in the words of customers."""
        if self.is_processing:
            return "Payment on its way"
        if self.status == OrderStatus.FULFILLED and not self.is_shipped:
            return "Completed"
        if self.status == OrderStatus.FULFILLED and self.is_pickup:
            return "Ready for pick-up"
        return CUSTOMER_STATUS[OrderStatus(self.status)]

    @property
    def search_text(self) -> str:
        """Return the searchable text. Reads the items."""
        sold = " ".join(f"{item.name} {item.sku}" for item in self.items.all())
        return " ".join(unique_words(f"{self.number} {self.name} {self.email} {self.phone} {sold}"))


def _lines(address: Mapping[str, Any] | None) -> list[str]:
    """Return the lines of an address, with the recipient; none if there is no address."""
    if not address:
        return []
    lines = address_lines(address, home=site_country())
    return [address["name"], *lines] if address.get("name") else lines


class OrderItem(DiscountedLine):
    """A variant as it was sold."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="items", db_index=False)
    product = models.ForeignKey(Product, null=True, on_delete=models.SET_NULL, related_name="+")
    variant = models.ForeignKey(ProductVariant, null=True, on_delete=models.SET_NULL, related_name="+")
    sku = models.CharField("SKU", max_length=MAX_SKU, blank=True, default="")
    name = models.CharField(max_length=MAX_PRODUCT_NAME)
    variant_name = models.CharField(max_length=200, blank=True, default="")
    tax_label = models.CharField(max_length=40, blank=True, default="")
    tax_percent = models.DecimalField(max_digits=7, decimal_places=4, default=Decimal(0))
    weight_grams = models.PositiveIntegerField(default=0)
    is_digital = models.BooleanField(default=False)
    #: Whether its pieces are counted in the stock.
    is_tracked = models.BooleanField(default=False)
    #: How many have been sent, and how many have been refunded.
    shipped = models.PositiveIntegerField(default=0)
    refunded = models.PositiveIntegerField(default=0)
    #: How many were put back into the stock for refunds that failed.
    in_stock_again = models.PositiveIntegerField(default=0)

    class Meta(DiscountedLine.Meta):
        indexes = [models.Index("order", "position", "id", name="item_of_order")]
        constraints = [
            models.CheckConstraint(condition=Q(quantity__gt=0, unit_price_cents__gte=0), name="order_item_some"),
            models.CheckConstraint(
                condition=Q(shipped__lte=F("quantity"), refunded__lte=F("quantity")), name="order_item_within"
            ),
        ]

    @property
    def full_name(self) -> str:
        return f"{self.name}, {self.variant_name}" if self.variant_name else self.name

    @property
    def unshipped(self) -> int:
        """Return how many still have to be sent."""
        return 0 if self.is_digital else max(0, self.quantity - self.refunded - self.shipped)


class Shipment(models.Model):
    """A parcel, or a pick-up."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="shipments", db_index=False)
    carrier = models.CharField(max_length=MAX_CARRIER, blank=True, default="")
    tracking_number = models.CharField(max_length=MAX_TRACKING, blank=True, default="")
    tracking_url = models.URLField(max_length=MAX_TRACKING_URL, blank=True, default="")
    shipped_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["created_at", "id"]
        indexes = [models.Index("order", "id", name="shipment_of_order")]

    def __str__(self) -> str:
        return f"Shipment of {self.order}"

    @property
    def carrier_name(self) -> str:
        return carrier_name(self.carrier)


class ShipmentItem(models.Model):
    shipment = models.ForeignKey(Shipment, on_delete=models.CASCADE, related_name="items")
    item = models.ForeignKey(OrderItem, on_delete=models.CASCADE, related_name="+")
    quantity = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=Q(quantity__gt=0), name="shipment_item_some")]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.item.full_name}"


class OrderRefund(models.Model):
    """A decision of staff to give money back, with the pieces that it is for; the money is in its `parts`."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="refunds", db_index=False)
    amount_cents = models.BigIntegerField()
    reason = models.CharField(max_length=500, blank=True, default="")
    #: `[{"item": 7, "quantity": 1, "in_stock": 1}]`: of an item, how many are refunded, and how many of these are in the stock.
    items = models.JSONField(default=list)
    is_restocked = models.BooleanField(default=False)
    #: The refunds of payments that it consists of.
    parts = models.ManyToManyField("payments.Refund", related_name="+")
    #: Whether none of the money has gone back: its pieces count as sold again.
    has_failed = models.BooleanField(default=False)
    refunded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["created_at", "id"]
        indexes = [models.Index("order", "id", name="refund_of_order")]
        constraints = [models.CheckConstraint(condition=Q(amount_cents__gt=0), name="order_refund_some")]

    def __str__(self) -> str:
        return f"{self.order}, {self.pk}"
