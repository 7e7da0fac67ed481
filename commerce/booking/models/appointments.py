"""Appointments as they were booked: later edits of services, staff and settings change nothing in them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.calendars.sequences import SequenceField
from cms_api.http.external_keys import ExternalRecord
from cms_api.http.link_keys import LinkedRecord
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.types import MAX_EMAIL, MAX_NAME, MAX_PHONE
from commerce.common.types.discounts import MAX_CODE
from commerce.common.types.money import Money, balance_cents

from ..types import services
from ..types.appointments import ACTIVE, MAX_FORM_KEY, MAX_NOTES, MAX_ZONE, AppointmentStatus
from .services import BookingCode, Service
from .staff import Staff


class BookedSlot(models.Model):
    """A time of a member of staff that is taken; the customers of a class share it.

    Two slots of one member of staff never overlap, their buffers included: writers lock the member of staff, and on PostgreSQL an
    exclusion constraint refuses what got past that.
    """

    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="slots", db_index=False)
    service = models.ForeignKey(Service, on_delete=models.PROTECT, related_name="slots")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    #: With the buffers before and after.
    occupied_from = models.DateTimeField()
    occupied_until = models.DateTimeField()
    #: A slot without any is deleted.
    seats_taken = models.PositiveIntegerField(default=1)

    class Meta:
        default_permissions = ()
        ordering = ["starts_at", "id"]
        indexes = [models.Index("staff", "occupied_from", name="booked_slot_of_staff")]
        constraints = [
            models.UniqueConstraint("staff", "starts_at", name="booked_slot_once"),
            models.CheckConstraint(
                condition=Q(
                    seats_taken__gt=0,
                    ends_at__gt=F("starts_at"),
                    occupied_from__lte=F("starts_at"),
                    occupied_until__gte=F("ends_at"),
                ),
                name="booked_slot_order",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.staff}, {self.starts_at}"

    @property
    def length(self) -> timedelta:
        return self.ends_at - self.starts_at


class Appointment(ExternalRecord, LinkedRecord, IndexedText, models.Model):
    """A seat in a slot. Without a slot, it takes nobody's time."""

    status = models.CharField(max_length=10, choices=AppointmentStatus.choices, editable=False)
    name = models.CharField(max_length=2 * MAX_NAME)
    email = models.EmailField(max_length=MAX_EMAIL)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    #: The account that booked it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", editable=False)
    service = models.ForeignKey(Service, on_delete=models.PROTECT, related_name="appointments", db_index=False)
    service_name = models.CharField(max_length=services.MAX_NAME, editable=False)
    staff = models.ForeignKey(Staff, on_delete=models.PROTECT, related_name="appointments", db_index=False)
    staff_name = models.CharField(max_length=services.MAX_NAME, editable=False)
    slot = models.ForeignKey(BookedSlot, null=True, on_delete=models.SET_NULL, related_name="appointments", editable=False)
    starts_at = models.DateTimeField(editable=False)
    ends_at = models.DateTimeField(editable=False)
    #: The customer's.
    timezone = models.CharField(max_length=MAX_ZONE, editable=False)
    location = models.CharField(max_length=services.MAX_PLACE, blank=True, default="", editable=False)
    video_url = models.CharField(max_length=services.MAX_URL, blank=True, default="", editable=False)

    currency = models.CharField(max_length=3, editable=False)
    price_cents = models.BigIntegerField(editable=False)
    discount_cents = models.BigIntegerField(default=0, editable=False)
    #: Due when booking.
    deposit_cents = models.BigIntegerField(default=0, editable=False)
    amount_paid_cents = models.BigIntegerField(default=0, editable=False)
    code = models.ForeignKey(BookingCode, null=True, on_delete=models.SET_NULL, related_name="appointments", editable=False)
    #: The code as it was entered.
    discount_code = models.CharField(max_length=MAX_CODE, blank=True, default="", editable=False)
    #: Whether it counts among the uses of its code.
    has_redeemed = models.BooleanField(default=False, editable=False)

    #: `[{"question": "Your knee?", "answer": "The left one."}]`.
    intake = models.JSONField(default=list, editable=False)
    #: By the customer.
    notes = models.TextField(max_length=MAX_NOTES, blank=True, default="", editable=False)
    #: Whether somebody still has to confirm it.
    requires_approval = models.BooleanField(default=False, editable=False)
    #: Until when it waits for its deposit; null if it does not.
    reserved_until = models.DateTimeField(null=True, editable=False)
    #: Whether a payment that takes days is on its way.
    is_processing = models.BooleanField(default=False, editable=False)
    #: The network of the visitor who booked it, until it is paid or for a day; see `common.services.networks`.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", editable=False)
    #: Of the form that a visitor sent, so that a form that is sent twice books once; see `services.booking`.
    form_key = models.CharField(max_length=MAX_FORM_KEY, blank=True, default="", db_default="", editable=False)
    #: SEQUENCE of its calendar invites (RFC 5545): grows when it is moved or cancelled.
    sequence = SequenceField(default=0, editable=False)
    #: When its customer was reminded, or need not be.
    reminded_at = models.DateTimeField(null=True, editable=False)
    confirmed_at = models.DateTimeField(null=True, editable=False)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    completed_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        default_permissions = ("add", "view", "change")
        ordering = ["-created_at", "-id"]
        indexes = [
            models.Index("created_at", "id", name="appointment_by_creation"),
            models.Index("updated_at", "id", name="appointment_by_change"),
            # With the status, so that the upcoming ones are counted without reading their rows.
            models.Index("starts_at", "id", "status", name="appointment_by_start"),
            models.Index("status", "created_at", "id", name="appointment_by_status"),
            models.Index("email", "created_at", "id", name="appointment_by_email"),
            models.Index("service", "created_at", "id", name="appointment_by_service"),
            models.Index("staff", "created_at", "id", name="appointment_by_staff"),
            models.Index("staff", "starts_at", "id", "status", name="appointment_in_diary"),
            models.Index("reserved_until", "id", name="appointment_reserved", condition=Q(reserved_until__isnull=False)),
            models.Index(
                "starts_at", "id", name="appointment_to_remind", condition=Q(status="confirmed", reminded_at__isnull=True)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    price_cents__gte=0,
                    discount_cents__gte=0,
                    discount_cents__lte=F("price_cents"),
                    deposit_cents__gte=0,
                    deposit_cents__lte=F("price_cents") - F("discount_cents"),
                    amount_paid_cents__gte=0,
                ),
                name="appointment_amounts",
            ),
            models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="appointment_order"),
            models.CheckConstraint(condition=~Q(status__in=ACTIVE) | Q(slot__isnull=False), name="appointment_has_slot"),
            models.UniqueConstraint("form_key", condition=Q(status__in=ACTIVE) & ~Q(form_key=""), name="appointment_form_once"),
        ]

    def __str__(self) -> str:
        return f"{self.service_name}, {self.name}"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def is_pending(self) -> bool:
        return self.status == AppointmentStatus.PENDING

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    @property
    def shared_video_url(self) -> str:
        """Return the video link while the appointment is confirmed; empty otherwise. Customers get no other."""
        return self.video_url if self.status == AppointmentStatus.CONFIRMED else ""

    @property
    def duration_minutes(self) -> int:
        return int((self.ends_at - self.starts_at).total_seconds()) // 60

    @property
    def total_cents(self) -> int:
        return self.price_cents - self.discount_cents

    @property
    def balance_due_cents(self) -> int:
        """Return what is left to pay, rounded to what can be paid online."""
        return balance_cents(self.total_cents - self.amount_paid_cents, self.currency)

    @property
    def deposit_due_cents(self) -> int:
        """Return how much of the deposit has not been paid."""
        return balance_cents(self.deposit_cents - self.amount_paid_cents, self.currency)

    @property
    def total(self) -> Money:
        return Money(self.total_cents, self.currency)

    @property
    def has_begun(self) -> bool:
        return self.starts_at <= timezone.now()

    @property
    def local_start(self) -> datetime:
        """Return the start on the customer's clock."""
        return self.starts_at.astimezone(self.zone)

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.email} {self.phone} {self.service_name} {self.staff_name}"))
