"""Opening hours and delivery zones."""

from django.db import models
from django.db.models import Q

from commerce.common.types.hours import Period, Weekday

from ..types.zones import MAX_POSTAL_CODES, MAX_ZONE_NAME, covers, delivery_fee


class OpeningPeriod(models.Model):
    """A time in which the kitchen is open every week, on the site's clock."""

    weekday = models.PositiveSmallIntegerField(choices=Weekday.choices)
    opens = models.TimeField()
    closes = models.TimeField(help_text="A time before the opening is on the next day.")

    class Meta:
        verbose_name = "opening period"
        ordering = ["weekday", "opens", "id"]
        constraints = [
            models.UniqueConstraint("weekday", "opens", name="opening_once"),
            models.CheckConstraint(condition=Q(weekday__lte=6), name="opening_weekday"),
        ]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()}, {self.opens:%H:%M} to {self.closes:%H:%M}"

    @property
    def period(self) -> Period:
        return Period(self.opens, self.closes)


class SpecialDay(models.Model):
    """A day with other hours than its weekday has, or none."""

    date = models.DateField(unique=True)
    is_closed = models.BooleanField("closed", default=True)
    #: `[["11:00", "14:00"]]`.
    periods = models.JSONField(blank=True, default=list)
    note = models.CharField(max_length=120, blank=True, default="", help_text="Shown on the menu, for example Christmas Day.")

    class Meta:
        verbose_name = "special day"
        ordering = ["date"]

    def __str__(self) -> str:
        return str(self.date)


class DeliveryZone(models.Model):
    """An area to which orders are delivered. The first zone that covers a postal code applies."""

    name = models.CharField(max_length=MAX_ZONE_NAME)
    postal_codes = models.TextField(
        max_length=MAX_POSTAL_CODES, help_text="Postal codes with commas between them. 051* stands for all that begin with 051."
    )
    fee_cents = models.BigIntegerField(default=0)
    minimum_cents = models.BigIntegerField(default=0)
    #: The value of the items from which delivery is free.
    free_from_cents = models.BigIntegerField(null=True, blank=True)
    extra_minutes = models.PositiveIntegerField(default=0, help_text="Added to the time that an order takes.")
    position = models.PositiveIntegerField(default=0, help_text="Zones with lower numbers come first.")

    class Meta:
        verbose_name = "delivery zone"
        ordering = ["position", "name", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(fee_cents__gte=0, minimum_cents__gte=0), name="zone_not_negative"),
            models.CheckConstraint(
                condition=Q(free_from_cents__isnull=True) | Q(free_from_cents__gte=0), name="zone_free_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def covers(self, postal_code: str, country: str) -> bool:
        return covers(self.postal_codes, postal_code, country)

    def fee(self, subtotal_cents: int) -> int:
        return delivery_fee(subtotal_cents, fee_cents=self.fee_cents, free_from_cents=self.free_from_cents)
