"""Ticket orders as they were placed, and the tickets that they consist of: later edits of events and prices change neither."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.types.discounts import MAX_CODE
from commerce.sales.models import DiscountedLine, Sale

from ..types.orders import BUYER_STATUS, CODE_LENGTH, OrderStatus, ScanResult, TicketStatus
from ..types.sales import MAX_NAME as MAX_TYPE_NAME
from .sales import PromoCode, TicketType
from .seats import Reservation, WaitingEntry


def event_column() -> Any:
    """Return the column of an event, whose id stays when the event is deleted."""
    return models.ForeignKey(
        "content.ContentItem", on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )


def _ticket_type() -> Any:
    """Return the column of a ticket type, whose id stays when its event is deleted."""
    return models.ForeignKey(TicketType, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)


class TicketOrder(Sale):
    status = models.CharField(max_length=10, choices=OrderStatus.choices, default=OrderStatus.PENDING, editable=False)
    event = event_column()
    #: The event as sold: `{"title", "slug", "starts_at", "venue"}`.
    event_data = models.JSONField(default=dict, editable=False)
    #: The local start of its date, and whether the event had other dates.
    start = models.CharField(max_length=19, editable=False)
    is_repeating = models.BooleanField(default=False, editable=False)
    name = models.CharField(max_length=2 * MAX_NAME)
    #: Its seats until it is paid.
    reservation = models.OneToOneField(Reservation, null=True, on_delete=models.SET_NULL, related_name="order", editable=False)

    fee_cents = models.BigIntegerField(default=0, editable=False)
    promo = models.ForeignKey(PromoCode, null=True, on_delete=models.SET_NULL, related_name="orders", editable=False)
    promo_code = models.CharField(max_length=MAX_CODE, blank=True, default="", editable=False)
    #: Whether it counts among the uses of its promo code.
    has_redeemed = models.BooleanField(default=False, editable=False)

    #: The network of the visitor who ordered free tickets; see `visitors.network_key`.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", editable=False)
    #: Names and answers of the attendees, until the tickets are issued: `[{"name", "answers"}]` in the order of the items.
    attendees = models.JSONField(default=list, editable=False)
    ticket_count = models.PositiveIntegerField(default=0, editable=False)
    #: Whether it was cancelled because nobody paid in time; a payment that arrives later is applied if there are still seats.
    has_lapsed = models.BooleanField(default=False, editable=False)

    class Meta(Sale.Meta):
        indexes = [
            models.Index("created_at", "id", name="ticket_order_by_creation"),
            models.Index("updated_at", "id", name="ticket_order_by_change"),
            models.Index("status", "created_at", "id", name="ticket_order_by_status"),
            models.Index("event", "created_at", "id", name="ticket_order_of_event"),
            models.Index("email", "created_at", "id", name="ticket_order_by_email"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(subtotal_cents__gte=0, discount_cents__gte=0, fee_cents__gte=0, tax_cents__gte=0, total_cents__gte=0),
                name="ticket_order_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(refunded_cents__gte=0, refunded_cents__lte=F("total_cents")), name="ticket_order_refunds"
            ),
        ]

    def leading_here(self) -> Iterable[LinkedRecord]:
        """The checkout leads to the order that it has become, and the offer of a waiting list to the checkout."""
        if self.reservation is None:
            return []
        return [self.reservation, *WaitingEntry.objects.filter(reservation=self.reservation)]

    @property
    def title(self) -> str:
        """Return the title of the event as sold."""
        return str(self.event_data.get("title", ""))

    @property
    def occurrence_start(self) -> str | None:
        """Return the local start of the chosen date if the event had several."""
        return self.start if self.is_repeating else None

    @property
    def buyer_status(self) -> str:
        return "Payment on its way" if self.is_processing else BUYER_STATUS[OrderStatus(self.status)]

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.number} {self.name} {self.email} {self.title}"))


class TicketOrderItem(DiscountedLine):
    """A ticket type as it was sold."""

    order = models.ForeignKey(TicketOrder, on_delete=models.CASCADE, related_name="items", db_index=False)
    ticket_type = _ticket_type()
    name = models.CharField(max_length=MAX_TYPE_NAME)

    class Meta(DiscountedLine.Meta):
        indexes = [models.Index("order", "position", "id", name="ticket_item_of_order")]
        constraints = [models.CheckConstraint(condition=Q(quantity__gt=0, unit_price_cents__gte=0), name="ticket_item_some")]


class AttendeeTicket(IndexedText, models.Model):
    """A ticket for one person, with the code that admits to the event."""

    order = models.ForeignKey(TicketOrder, on_delete=models.CASCADE, related_name="tickets", db_index=False)
    item = models.ForeignKey(TicketOrderItem, on_delete=models.CASCADE, related_name="tickets", db_index=False)
    event = event_column()
    start = models.CharField(max_length=19, editable=False)
    ticket_type = _ticket_type()
    type_name = models.CharField(max_length=MAX_TYPE_NAME, editable=False)
    #: See `types.orders.new_code`. A ticket that is transferred gets a new one.
    code = models.CharField(max_length=CODE_LENGTH, unique=True, editable=False)
    status = models.CharField(max_length=10, choices=TicketStatus.choices, default=TicketStatus.VALID, editable=False)
    attendee_name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    #: The address of the person to whom it was transferred; empty while the buyer has it.
    holder_email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="", editable=False)
    #: `[{"question", "answer"}]`
    answers = models.JSONField(default=list, editable=False)
    checked_in_at = models.DateTimeField(null=True, editable=False)
    checked_in_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False, editable=False
    )
    voided_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "ticket"
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="ticket_by_creation"),
            models.Index("updated_at", "id", name="ticket_by_change"),
            models.Index("status", "created_at", "id", name="ticket_by_status"),
            models.Index("event", "created_at", "id", name="ticket_of_event"),
            models.Index("order", "id", name="ticket_of_order"),
            models.Index("item", name="ticket_of_item"),
            # Counts what is sold without a look at the tickets.
            models.Index("event", "start", "ticket_type", "status", name="ticket_of_date"),
            models.Index("holder_email", "id", name="ticket_by_holder", condition=~Q(holder_email="")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status=TicketStatus.CHECKED_IN, checked_in_at__isnull=False)
                | (~Q(status=TicketStatus.CHECKED_IN) & Q(checked_in_at=None)),
                name="ticket_checked_in_at",
            )
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def email(self) -> str:
        """Return the address of the person who has it."""
        return self.holder_email or self.order.email

    @property
    def attendee(self) -> str:
        return self.attendee_name or self.order.name

    @property
    def search_text(self) -> str:
        """Return the searchable text. Reads the order."""
        order = self.order
        return " ".join(
            unique_words(f"{self.code} {self.attendee_name} {self.holder_email} {order.number} {order.name} {order.email}")
        )


class RevokedCode(models.Model):
    """The former code of a ticket that was transferred."""

    code = models.CharField(max_length=CODE_LENGTH, primary_key=True)
    ticket = models.ForeignKey(AttendeeTicket, on_delete=models.CASCADE, related_name="revoked_codes")
    revoked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.code


class Scan(models.Model):
    """A code that was shown at a door, and the answer."""

    event = event_column()
    ticket = models.ForeignKey(AttendeeTicket, null=True, on_delete=models.CASCADE, related_name="scans")
    code = models.CharField(max_length=64)
    result = models.CharField(max_length=10, choices=ScanResult.choices)
    #: A random text of the device, by which a scan that is sent again is recognized.
    nonce = models.CharField(max_length=64, null=True, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    scanned_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("event", "scanned_at", "id", name="scan_of_event")]

    def __str__(self) -> str:
        return f"{self.code}: {self.result}"
