"""Visits and their events for a limited time, the sums by day that reports read, and the salts that hide visitors."""

from typing import ClassVar

from django.db import models

from .types.counting import Dimension
from .types.events import MAX_COUNTRY, MAX_PATH, MAX_SEARCH, MAX_TITLE, Device, Kind
from .types.sources import MAX_NAME

#: Of a roll-up's value: source, medium and campaign, or a path.
MAX_VALUE = max(MAX_PATH, 3 * MAX_NAME + 2)
MAX_GOAL = 50


class Salt(models.Model):
    """The secret by which visitors of one day are recognised. It is deleted after two days; then nobody can recognise them."""

    day = models.DateField(primary_key=True)
    value = models.BinaryField(max_length=32)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.day)


class Visit(models.Model):
    """The events of a visitor without a break of half an hour."""

    #: The uid of the event with which it was begun, unless a former visit has it.
    id = models.BigIntegerField(primary_key=True)
    #: The visitor by the salt of the day of the latest event.
    visitor = models.BigIntegerField()
    #: Of its first event, in the site's time zone.
    day = models.DateField()
    #: Unix seconds.
    started_at = models.FloatField()
    last_at = models.FloatField()
    source = models.CharField(max_length=MAX_NAME, blank=True, default="")
    medium = models.CharField(max_length=MAX_NAME, blank=True, default="")
    campaign = models.CharField(max_length=MAX_NAME, blank=True, default="")
    referrer = models.CharField(max_length=MAX_NAME, blank=True, default="")
    device = models.CharField(max_length=10, choices=Device.choices, blank=True, default="")
    #: ISO 3166; empty if no header names it.
    country = models.CharField(max_length=MAX_COUNTRY, blank=True, default="")

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index("visitor", "last_at", name="visit_by_visitor"),
            models.Index("last_at", name="visit_by_end"),
        ]

    def __str__(self) -> str:
        return f"Visit {self.pk}"


class Event(models.Model):
    """A page view, a missing page, a search, or a conversion."""

    #: Drawn by the page: a message that arrives twice is stored once.
    uid = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: Unix seconds.
    at = models.FloatField()
    day = models.DateField()
    #: The visitor by the salt of the day; 0 for a conversion whose visitor is not known.
    visitor = models.BigIntegerField()
    visit = models.ForeignKey(Visit, null=True, on_delete=models.CASCADE, related_name="events")
    path = models.CharField(max_length=MAX_PATH, blank=True, default="")
    words = models.CharField(max_length=MAX_SEARCH, blank=True, default="")
    goal = models.CharField(max_length=MAX_GOAL, blank=True, default="")
    value_cents = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3, blank=True, default="")
    #: How long the page was looked at.
    seconds = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index("visitor", "day", name="event_by_visitor"),
            models.Index("at", name="event_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.path}"


class PendingEvent(models.Model):
    """A conversion that waits to be stored with the views before it. It is written in the transaction of what happened."""

    #: A line as in the files of views; see `types.events.Event`.
    line = models.BinaryField()
    #: Unix seconds.
    at = models.FloatField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"Event {self.pk}"


class Attribution(models.Model):
    """The visitor who began to pay for something, as a provider's message tells later that it was paid."""

    payable = models.CharField(max_length=30)
    record_id = models.PositiveBigIntegerField()
    visitor = models.BigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint("payable", "record_id", name="analytics_attribution_once")]
        indexes = [models.Index("created_at", name="attribution_by_creation")]

    def __str__(self) -> str:
        return f"{self.payable} {self.record_id}"


class StoredFile(models.Model):
    """A file of views that has been stored, until it is deleted: a process may die between the two."""

    name = models.CharField(max_length=100, primary_key=True)
    stored_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.name


class PageTitle(models.Model):
    """The latest title of a page."""

    path = models.CharField(max_length=MAX_PATH, unique=True)
    title = models.CharField(max_length=MAX_TITLE)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.title


#: An empty path where an index needs to know that it is one: the values of parameters are unknown when SQLite chooses indexes.
BLANK = models.Func(template="''", output_field=models.CharField())


class RollUp(models.Model):
    """Sums of one day, or of a month that is over; see `types.counting`."""

    day = models.DateField()
    dimension = models.CharField(max_length=10, choices=Dimension.choices)
    #: Empty for the whole site; else of the visits and visitors that saw this page.
    path = models.CharField(max_length=MAX_PATH, blank=True, default="")
    value = models.CharField(max_length=MAX_VALUE, blank=True, default="")
    pageviews = models.BigIntegerField(default=0)
    visitors = models.BigIntegerField(default=0)
    sessions = models.BigIntegerField(default=0)
    bounces = models.BigIntegerField(default=0)
    #: Of all visits together.
    seconds = models.BigIntegerField(default=0)
    #: Seconds that the page was looked at.
    engaged = models.BigIntegerField(default=0)
    conversions = models.BigIntegerField(default=0)
    value_cents = models.BigIntegerField(default=0)
    #: Visitors all of whose page views were bounces.
    bounced_visitors = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        default_permissions = ("view",)
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint("dimension", "path", "day", "value", name="analytics_roll_up_once"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index("day", name="roll_up_by_day"),
            # The days of a page or of another value, and the pages that were seen with a value.
            models.Index("dimension", "value", "day", name="roll_up_of_site", condition=models.Q(path="")),
            models.Index("dimension", "value", "day", name="roll_up_of_pages", condition=models.Q(path__gt="")),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.dimension} {self.path} {self.value}"


class WeeklyReport(models.Model):
    """The week whose report was sent last: the Monday on which that was."""

    monday = models.DateField(primary_key=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.monday)
