"""Members of staff, and when they work."""

from datetime import time
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from commerce.common.types import MAX_EMAIL
from commerce.common.types.hours import Period, Weekday

from ..types.appointments import MAX_ZONE
from ..types.services import MAX_DESCRIPTION, MAX_NAME, MAX_URL
from .services import Service


class Staff(models.Model):
    """A person, or a room, whose time is booked. Its hours are those of the wall clock in its zone."""

    name = models.CharField(max_length=MAX_NAME)
    email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="")
    title = models.CharField(max_length=MAX_NAME, blank=True, default="", help_text="For example Physiotherapist.")
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True, default="")
    image = models.ForeignKey("media.Media", null=True, on_delete=models.SET_NULL, related_name="+")
    #: The account that works in the admin.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    timezone = models.CharField(max_length=MAX_ZONE)
    services = models.ManyToManyField(Service, related_name="staff")
    works_on_holidays = models.BooleanField(default=False)
    is_visible = models.BooleanField("can be booked online", default=True)
    position = models.PositiveIntegerField(default=0, help_text="Staff with lower numbers come first.")
    #: The secret in the address of the private calendar feed.
    feed_key = models.CharField(max_length=43, unique=True, editable=False)
    #: An iCal address that is read for busy times, and how that went.
    calendar_url = models.CharField("calendar address", max_length=MAX_URL, blank=True, default="")
    calendar_checked_at = models.DateTimeField(null=True, editable=False)
    calendar_read_at = models.DateTimeField(null=True, editable=False)
    calendar_error = models.CharField(max_length=MAX_URL, blank=True, default="", editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        verbose_name = "member of staff"
        verbose_name_plural = "staff"
        ordering = ["position", "name", "id"]
        indexes = [
            models.Index("created_at", "id", name="booking_staff_by_creation"),
            models.Index("calendar_checked_at", "id", name="booking_staff_calendar", condition=~Q(calendar_url="")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


class WorkingHours(models.Model):
    """A period in which a member of staff works every week; for one service, or for all that have none of their own."""

    staff = models.ForeignKey(Staff, on_delete=models.CASCADE, related_name="hours", db_index=False)
    service = models.ForeignKey(Service, null=True, on_delete=models.CASCADE, related_name="+")
    weekday = models.PositiveSmallIntegerField(choices=Weekday.choices)
    opens = models.TimeField("from")
    closes = models.TimeField("until")

    class Meta:
        default_permissions = ()
        ordering = ["weekday", "opens", "id"]
        indexes = [models.Index("staff", "weekday", "opens", "id", name="booking_hours_of_staff")]
        constraints = [models.CheckConstraint(condition=Q(weekday__lte=6), name="booking_hours_weekday")]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()}, {self.opens:%H:%M} to {self.closes:%H:%M}"

    @property
    def period(self) -> Period:
        return Period(self.opens, self.closes)


class DateOverride(models.Model):
    """A date on which a member of staff has other hours than those of the weekday, or none."""

    staff = models.ForeignKey(Staff, on_delete=models.CASCADE, related_name="overrides", db_index=False)
    date = models.DateField()
    #: `[["11:00", "14:00"]]`; empty for a day off.
    periods = models.JSONField(blank=True, default=list)

    class Meta:
        ordering = ["-date", "id"]
        indexes = [models.Index("date", "id", name="booking_override_by_date")]
        constraints = [models.UniqueConstraint("staff", "date", name="booking_override_once")]

    def __str__(self) -> str:
        return f"{self.staff}, {self.date}"

    @property
    def hours(self) -> list[Period]:
        return [Period(*map(time.fromisoformat, pair)) for pair in self.periods]


class TimeOff(models.Model):
    """A time in which a member of staff, or nobody at all, works."""

    staff = models.ForeignKey(Staff, null=True, blank=True, on_delete=models.CASCADE, related_name="time_off", db_index=False)
    starts_at = models.DateTimeField("from")
    ends_at = models.DateTimeField("until")
    note = models.CharField(max_length=MAX_NAME, blank=True, default="", help_text="Customers do not see it.")

    class Meta:
        verbose_name = "time off"
        verbose_name_plural = "time off"
        ordering = ["-starts_at", "-id"]
        indexes = [
            models.Index("staff", "ends_at", name="booking_time_off_of_staff"),
            models.Index("starts_at", "id", name="booking_time_off_by_start"),
        ]
        constraints = [models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="booking_time_off_order")]

    def __str__(self) -> str:
        return self.note or "Time off"


class BusyTime(models.Model):
    """A time in which a member of staff is busy by the calendar at `Staff.calendar_url`."""

    staff = models.ForeignKey(Staff, on_delete=models.CASCADE, related_name="busy_times", db_index=False)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["starts_at", "id"]
        indexes = [models.Index("staff", "ends_at", name="booking_busy_time_of_staff")]
        constraints = [models.CheckConstraint(condition=Q(ends_at__gt=F("starts_at")), name="booking_busy_time_order")]

    def __str__(self) -> str:
        return f"{self.starts_at} to {self.ends_at}"
