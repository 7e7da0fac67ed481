"""Invoices that are made again and again."""

from datetime import date
from decimal import Decimal

from django.db import models
from django.db.models import Q

from commerce.common.types.periods import Interval, period

from ..types.invoices import MAX_CLIENT, MAX_REFERENCE, MAX_TEXT
from ..types.recurring import Delivery
from .clients import Client

#: One could not be made, and is still missing.
IS_STOPPED = ~Q(problem="") | Q(missed_on__isnull=False)


class RecurringInvoice(models.Model):
    """The pattern of invoices, and when they are made."""

    name = models.CharField(max_length=MAX_CLIENT)
    client = models.ForeignKey(Client, on_delete=models.PROTECT, related_name="recurring_invoices")
    #: That in which its amounts were entered, whatever the site's is by now.
    currency = models.CharField(max_length=3, editable=False)
    #: As `types.items.read_items` reads them.
    items = models.JSONField(default=list)
    reference = models.CharField(max_length=MAX_REFERENCE, blank=True, default="")
    notes = models.TextField(max_length=MAX_TEXT, blank=True, default="")
    terms = models.TextField(max_length=MAX_TEXT, blank=True, default="")
    prices_include_tax = models.BooleanField(default=False)
    discount_percent = models.DecimalField(max_digits=7, decimal_places=4, default=Decimal(0))
    discount_cents = models.BigIntegerField(default=0)
    #: Days until each invoice is due.
    due_days = models.PositiveIntegerField(default=30)
    #: The date of the first invoice, from which all others are counted.
    starts_on = models.DateField()
    interval = models.CharField(max_length=5, choices=Interval.choices, default=Interval.MONTH)
    every = models.PositiveIntegerField(default=1)
    #: The last day on which one is made; null for no end.
    ends_on = models.DateField(null=True, blank=True)
    delivery = models.CharField(max_length=5, choices=Delivery.choices, default=Delivery.SEND)
    is_active = models.BooleanField(default=True, editable=False)
    #: How many of its dates have passed: the number of the next one, counted from 0.
    made = models.PositiveIntegerField(default=0, editable=False)
    #: Its date; null once there is none.
    next_on = models.DateField(null=True, editable=False)
    #: Why the last one could not be made.
    problem = models.CharField(max_length=500, blank=True, default="", editable=False)
    #: The date of the first invoice that could not be made, until it is or is left out.
    missed_on = models.DateField(null=True, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["name", "id"]
        indexes = [models.Index("next_on", "id", name="recurring_due", condition=Q(is_active=True, next_on__isnull=False))]
        constraints = [models.CheckConstraint(condition=Q(every__gte=1), name="recurring_every_some")]

    def __str__(self) -> str:
        return self.name

    def date_of(self, number: int) -> date | None:
        """Return the date of the invoice with a number; None after the end."""
        day = period(self.starts_on, self.interval, self.every, number)
        return day if self.ends_on is None or day <= self.ends_on else None
