"""How the help desk is set up: categories, tags, assignment rules, canned answers, hours, and targets."""

from datetime import time

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Lower

from commerce.common.models import AssignmentRuleBase, CategoryBase
from commerce.common.types import MAX_TAG
from commerce.common.types.hours import Period, Weekday

from ..types.tickets import MAX_BODY, MAX_TARGET_MINUTES, MAX_TITLE, Priority


class Category(CategoryBase):
    """A kind of request, which people choose and staff filter by."""

    description = models.CharField(max_length=200, blank=True, default="", help_text="Shown to people who ask for help.")
    #: Whether people can choose it; staff always can.
    is_public = models.BooleanField("offered on the site", default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "categories"
        ordering = CategoryBase.Meta.ordering


class Tag(models.Model):
    name = models.CharField(max_length=MAX_TAG)

    class Meta:
        default_permissions = ()
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="support_tag_once")]

    def __str__(self) -> str:
        return self.name


class AssignmentRule(AssignmentRuleBase):
    """Assigns new tickets. The first rule that matches, and has people who may handle tickets, applies; they take turns."""

    #: Empty matches any category.
    categories = models.ManyToManyField(Category, blank=True, related_name="rules")
    #: Empty matches any priority.
    priorities = models.JSONField(blank=True, default=list)
    #: Words or phrases, of which one is in the subject or the first message; empty matches any text.
    words = models.JSONField(blank=True, default=list)


class CannedAnswer(models.Model):
    """A text that staff insert into their answers."""

    title = models.CharField(max_length=MAX_TITLE, unique=True)
    #: With `types.tickets.PLACEHOLDERS`.
    body = models.TextField(max_length=MAX_BODY)
    #: Offered first in tickets of this category.
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.SET_NULL, related_name="canned_answers")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title


class Hours(models.Model):
    """A period of the week in which the help desk is staffed, on the site's clock. Without any, it is staffed at all times."""

    weekday = models.PositiveSmallIntegerField(choices=Weekday.choices)
    opens = models.TimeField()
    closes = models.TimeField()

    class Meta:
        verbose_name = verbose_name_plural = "support hours"
        ordering = ["weekday", "opens"]
        constraints = [models.UniqueConstraint("weekday", "opens", name="support_hours_once")]

    def __str__(self) -> str:
        return f"{self.get_weekday_display()} {self.opens:%H:%M}-{self.closes:%H:%M}"

    @property
    def period(self) -> Period:
        return Period(self.opens, self.closes)


class SpecialDay(models.Model):
    """A date with other hours than its weekday, or none."""

    date = models.DateField(unique=True)
    note = models.CharField(max_length=MAX_TITLE, blank=True, default="")
    #: `[["09:00", "12:00"]]`; empty for a day off.
    periods = models.JSONField(blank=True, default=list)

    class Meta:
        ordering = ["date"]

    def __str__(self) -> str:
        return str(self.date)

    @property
    def hours(self) -> list[Period]:
        return [Period(*map(time.fromisoformat, pair)) for pair in self.periods]


class Target(models.Model):
    """How soon tickets of a priority should be answered and resolved, in minutes of support hours."""

    priority = models.CharField(max_length=10, choices=Priority.choices, unique=True)
    first_response_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_TARGET_MINUTES)]
    )
    resolution_minutes = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_TARGET_MINUTES)]
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.get_priority_display())
