"""Orders as they were placed: later edits of the menu, taxes and settings change nothing in them."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines
from cms_api.text.search import unique_words
from commerce.common.types import MAX_NAME, MAX_PHONE
from commerce.sales.models import Sale, SaleLine

from ..types import menu
from ..types.orders import MAX_NOTE, MAX_ORDER_NOTE, MAX_TABLE, Fulfillment, OrderStatus, PaymentMethod, customer_status
from ..types.zones import MAX_ZONE_NAME
from .carts import MenuCart
from .menu import MenuItem


class Slot(models.Model):
    """How many orders there are for one time; a conditional statement changes it, so that a full slot takes no more."""

    starts_at = models.DateTimeField(unique=True)
    orders = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.starts_at)


class RestaurantOrder(Sale):
    status = models.CharField(max_length=10, choices=OrderStatus.choices, default=OrderStatus.PENDING, editable=False)
    fulfillment = models.CharField(max_length=10, choices=Fulfillment.choices, editable=False)
    name = models.CharField(max_length=2 * MAX_NAME)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    table = models.CharField(max_length=MAX_TABLE, blank=True, default="")
    #: `{"name", "street", "street2", "city", "state", "postal_code", "country"}`; null if it is not delivered.
    delivery_address = models.JSONField(null=True, editable=False)
    zone = models.CharField(max_length=MAX_ZONE_NAME, blank=True, default="", editable=False)
    #: The cart that it was made from; another checkout of the same cart replaces a pending order.
    cart = models.ForeignKey(MenuCart, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)

    delivery_fee_cents = models.BigIntegerField(default=0, editable=False)
    tip_cents = models.BigIntegerField(default=0, editable=False)

    payment_method = models.CharField(max_length=10, choices=PaymentMethod.choices, editable=False)
    notes = models.TextField(max_length=MAX_ORDER_NOTE, blank=True, default="", editable=False)
    #: The slot for which it was ordered.
    slot_at = models.DateTimeField(editable=False)
    #: When it is promised: the slot, or later if "as soon as possible" was paid for late.
    wanted_at = models.DateTimeField(editable=False)
    is_asap = models.BooleanField(default=False, editable=False)
    #: Whether it counts among the orders of its slot.
    has_slot = models.BooleanField(default=False, editable=False)
    #: Until when it waits for its payment; null if it does not.
    reserved_until = models.DateTimeField(null=True, editable=False)
    #: The network of the visitor who placed it, until it is paid or over, or for a day; see `common.services.networks`.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", editable=False)
    placed_at = models.DateTimeField(null=True, editable=False)
    ready_at = models.DateTimeField(null=True, editable=False)
    completed_at = models.DateTimeField(null=True, editable=False)

    class Meta(Sale.Meta):
        verbose_name = "restaurant order"
        indexes = [
            models.Index("created_at", "id", name="restaurant_order_by_creation"),
            models.Index("status", "created_at", "id", name="restaurant_order_by_status"),
            models.Index("email", "created_at", "id", name="restaurant_order_by_email"),
            models.Index(
                "wanted_at", "id", name="restaurant_order_in_kitchen", condition=Q(status__in=["placed", "preparing", "ready"])
            ),
            models.Index("reserved_until", "id", name="restaurant_order_reserved", condition=Q(reserved_until__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(
                "cart", name="restaurant_order_of_cart", condition=Q(status=OrderStatus.PENDING, cart__isnull=False)
            ),
            models.CheckConstraint(
                condition=Q(
                    subtotal_cents__gte=0,
                    discount_cents__gte=0,
                    delivery_fee_cents__gte=0,
                    tax_cents__gte=0,
                    tip_cents__gte=0,
                    total_cents__gte=0,
                ),
                name="restaurant_order_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(refunded_cents__gte=0, refunded_cents__lte=F("total_cents")), name="restaurant_refunds_within"
            ),
        ]

    @property
    def is_delivery(self) -> bool:
        return self.fulfillment == Fulfillment.DELIVERY

    @property
    def is_unpaid(self) -> bool:
        """Return whether money is still to be received for it."""
        return self.paid_at is None and self.total_cents > 0 and self.status != OrderStatus.CANCELLED

    @property
    def expected_at(self) -> datetime:
        """Return when it is, or was, ready."""
        return self.ready_at or self.wanted_at

    @property
    def delivery_lines(self) -> list[str]:
        return address_lines(self.delivery_address, home=site_country()) if self.delivery_address else []

    @property
    def customer_status(self) -> str:
        """Return the status in the words of customers."""
        return "Payment on its way" if self.is_processing else customer_status(self.status, self.fulfillment)

    @property
    def search_text(self) -> str:
        """Return the searchable text. Reads the items."""
        sold = " ".join(item.name for item in self.items.all())
        return " ".join(unique_words(f"{self.number} {self.name} {self.email} {self.phone} {self.table} {sold}"))


class RestaurantOrderItem(SaleLine):
    """A dish as it was sold."""

    order = models.ForeignKey(RestaurantOrder, on_delete=models.CASCADE, related_name="items", db_index=False)
    menu_item = models.ForeignKey(MenuItem, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=menu.MAX_NAME)
    #: `[{"name": "Large", "price_cents": 300}]`.
    modifiers = models.JSONField(default=list)
    #: Ids of the options that the modifiers are copies of, as in the cart.
    options = models.JSONField(default=list)
    notes = models.CharField(max_length=MAX_NOTE, blank=True, default="")

    class Meta(SaleLine.Meta):
        indexes = [models.Index("order", "position", "id", name="restaurant_item_of_order")]
        constraints = [
            models.CheckConstraint(condition=Q(quantity__gt=0, unit_price_cents__gte=0), name="restaurant_order_item_some")
        ]

    @property
    def full_name(self) -> str:
        chosen = ", ".join(each["name"] for each in self.modifiers)
        return f"{self.name} ({chosen})" if chosen else self.name

    @property
    def total_cents(self) -> int:
        return self.quantity * (self.unit_price_cents + sum(each["price_cents"] for each in self.modifiers))
