"""The services that can be booked, and discount codes. Prices are in minor units of the site's currency."""

from collections.abc import Collection
from datetime import timedelta
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property

from cms_api.forms.types import FormField, parse_fields
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import DiscountCodeBase, discount_constraints
from commerce.common.types import MAX_SLUG
from commerce.common.types.discounts import DiscountKind

from ..types.services import MAX_DESCRIPTION, MAX_NAME, MAX_PLACE, MAX_URL
from ..types.slots import SlotRule


class Service(IndexedText, models.Model):
    """Something that can be booked: an appointment for one customer, or a class with several seats."""

    name = models.CharField(max_length=MAX_NAME)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True, default="")
    image = models.ForeignKey("media.Media", null=True, on_delete=models.SET_NULL, related_name="+")
    duration_minutes = models.PositiveIntegerField("duration in minutes", default=60)
    price_cents = models.BigIntegerField(default=0)
    #: Paid online when booking.
    deposit_cents = models.BigIntegerField(default=0)
    buffer_before_minutes = models.PositiveIntegerField("minutes before", default=0)
    buffer_after_minutes = models.PositiveIntegerField("minutes after", default=0)
    #: The distance of the times on offer; the duration if null.
    step_minutes = models.PositiveIntegerField("minutes between times", null=True, blank=True)
    notice_minutes = models.PositiveIntegerField("minimum notice in minutes", default=120)
    days_ahead = models.PositiveIntegerField("days ahead", default=60)
    cancel_notice_hours = models.PositiveIntegerField("hours to cancel or reschedule", default=24)
    #: The seats of a class; 1 for appointments.
    capacity = models.PositiveIntegerField("seats", default=1)
    location = models.CharField(max_length=MAX_PLACE, blank=True, default="")
    video_url = models.CharField("video link", max_length=MAX_URL, blank=True, default="")
    #: Definitions of the intake questions; see `FormField.as_stored`.
    questions = models.JSONField(default=list)
    requires_approval = models.BooleanField(default=False)
    is_visible = models.BooleanField("can be booked online", default=True)
    position = models.PositiveIntegerField(default=0, help_text="Services with lower numbers come first.")
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["position", "name", "id"]
        indexes = [models.Index("created_at", "id", name="booking_service_by_creation")]
        constraints = [
            models.CheckConstraint(condition=Q(price_cents__gte=0, deposit_cents__gte=0), name="booking_service_not_negative"),
            models.CheckConstraint(condition=Q(duration_minutes__gt=0, capacity__gt=0), name="booking_service_some"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_class(self) -> bool:
        return self.capacity > 1

    @property
    def rule(self) -> SlotRule:
        """Return how it is booked, in seconds."""
        return SlotRule(
            duration=60 * self.duration_minutes,
            step=60 * (self.step_minutes or self.duration_minutes),
            before=60 * self.buffer_before_minutes,
            after=60 * self.buffer_after_minutes,
            notice=60 * self.notice_minutes,
            horizon=86_400 * self.days_ahead,
        )

    @property
    def cancel_notice(self) -> timedelta:
        """Return how long before the start customers can reschedule and cancel."""
        return timedelta(hours=self.cancel_notice_hours)

    @cached_property
    def schema(self) -> tuple[FormField, ...]:
        return parse_fields(self.questions)

    @property
    def search_text(self) -> str:
        return " ".join(unique_words(f"{self.name} {self.description}"))


class BookingCode(DiscountCodeBase):
    """A code that customers enter when they book."""

    kinds: ClassVar[Collection[DiscountKind]] = (DiscountKind.PERCENTAGE, DiscountKind.AMOUNT)
    noun: ClassVar[str] = "booking"

    class Meta:
        verbose_name = "discount code"
        ordering = ["-created_at", "-id"]
        indexes = [models.Index("created_at", "id", name="booking_code_by_creation")]
        constraints = discount_constraints("booking_code")
