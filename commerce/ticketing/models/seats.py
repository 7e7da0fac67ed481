"""Seats that are not sold yet: reserved ones, and the waiting list."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.http.link_keys import LinkedRecord
from commerce.common.types import MAX_EMAIL, MAX_NAME

from ..types.sales import MAX_ACCESS_CODE, ON_LIST, WaitingStatus
from .sales import TicketType


class Reservation(LinkedRecord):
    """Seats at one date that a visitor is buying. It ends by the clock, unless an order was placed: then with the order."""

    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="+", db_index=False)
    start = models.CharField(max_length=19)
    #: The promo or access code that was entered.
    code = models.CharField(max_length=MAX_ACCESS_CODE, blank=True, default="")
    #: Until when the seats are reserved. Once an order is placed, they are until that is paid or cancelled.
    until = models.DateTimeField()
    is_placed = models.BooleanField(default=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    #: The network of the visitor; see `visitors.network_key`. Empty if nothing is counted.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index("event", "start", name="reservation_of_date"),
            models.Index("until", "id", name="reservation_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.start} until {self.until}"

    def is_active(self, now: datetime) -> bool:
        return self.is_placed or self.until > now


class ReservedSeats(models.Model):
    """Some seats of a reservation, of one ticket type and at one price."""

    reservation = models.ForeignKey(Reservation, on_delete=models.CASCADE, related_name="seats")
    ticket_type = models.ForeignKey(TicketType, on_delete=models.CASCADE, related_name="+")
    quantity = models.PositiveIntegerField()
    unit_price_cents = models.BigIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["ticket_type__position", "ticket_type_id"]
        constraints = [
            models.UniqueConstraint(fields=["reservation", "ticket_type"], name="reserved_seats_once"),
            models.CheckConstraint(condition=Q(quantity__gt=0, unit_price_cents__gte=0), name="reserved_seats_some"),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.ticket_type}"


class WaitingEntry(LinkedRecord):
    """Somebody who waits for seats of a sold-out ticket type. Freed seats are offered in the order of the ids."""

    ticket_type = models.ForeignKey(TicketType, on_delete=models.CASCADE, related_name="waiting", db_index=False)
    start = models.CharField(max_length=19)
    name = models.CharField(max_length=MAX_NAME)
    email = models.EmailField(max_length=MAX_EMAIL)
    quantity = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=WaitingStatus.choices, default=WaitingStatus.WAITING, editable=False)
    #: The seats that are offered.
    reservation = models.OneToOneField(Reservation, null=True, on_delete=models.SET_NULL, related_name="offer", editable=False)
    offered_at = models.DateTimeField(null=True, editable=False)
    #: The network of the visitor; see `visitors.network_key`.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "waiting list entry"
        verbose_name_plural = "waiting list entries"
        default_permissions = ("view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="waiting_by_creation"),
            models.Index("ticket_type", "start", "id", name="waiting_in_turn", condition=Q(status=WaitingStatus.WAITING)),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["ticket_type", "start", "email"], name="waiting_once", condition=Q(status__in=ON_LIST)
            ),
            models.CheckConstraint(condition=Q(quantity__gt=0), name="waiting_some"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity} x {self.ticket_type}"
