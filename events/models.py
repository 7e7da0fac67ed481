"""Series of repeating items, who comes to them, and what members send in. Occurrences themselves are content items."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from cms_api.content.models import ContentItem

from .types.rsvps import MAX_PARTY, RsvpStatus


class Series(models.Model):
    """An item whose date repeats, and how far its rule has been expanded."""

    item = models.OneToOneField(ContentItem, on_delete=models.CASCADE, primary_key=True, related_name="series")
    #: Whether more dates come with time; not where the rule has an end or the limit is reached.
    is_open = models.BooleanField()
    expanded_to = models.DateField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("expanded_to", name="series_open", condition=Q(is_open=True))]

    def __str__(self) -> str:
        return f"{self.item_id} to {self.expanded_to}"


class CalendarEntry(models.Model):
    """The VEVENTs of a published event, as `resources.vevents` makes them. Out of date unless made for what is there now."""

    item = models.OneToOneField(ContentItem, on_delete=models.CASCADE, primary_key=True, related_name="calendar_entry")
    #: The type's epoch, and the item's `updated_at`, for which they were made.
    made_for = models.PositiveBigIntegerField()
    made_of = models.DateTimeField()
    shared = models.BinaryField()
    dates = models.BinaryField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.item_id)


class Rsvp(models.Model):
    """That somebody comes to an occurrence with so many people, or has called off. Written by `services` alone."""

    #: The event as the site shows it, whichever of its dates is meant.
    event = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="rsvps")
    #: The row that stands for the date: one that the event owns or, for its first date, the event.
    occurrence = models.ForeignKey(ContentItem, on_delete=models.CASCADE, related_name="own_rsvps")
    #: The local wall-clock start, as it was promised.
    occurrence_start = models.CharField(max_length=19)
    name = models.CharField(max_length=100)
    email = models.EmailField(max_length=254)
    #: The address in the form by which it is told from others.
    email_key = models.CharField(max_length=254, editable=False)
    party_size = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=12, choices=RsvpStatus.choices, default=RsvpStatus.GOING)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    cancelled_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "RSVP"
        verbose_name_plural = "RSVPs"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["occurrence", "email_key"], name="rsvp_once"),
            models.CheckConstraint(condition=Q(party_size__range=(1, MAX_PARTY)), name="rsvp_party"),
        ]
        indexes = [
            models.Index(F("created_at").desc(), F("id").desc(), name="rsvp_newest"),
            models.Index("event", "status", name="rsvp_of_event"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.party_size})"


class Submission(models.Model):
    """That a member sent an event in: the draft which it became."""

    item = models.OneToOneField(ContentItem, on_delete=models.CASCADE, primary_key=True, related_name="submission")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    submitted_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("member", "submitted_at", name="submission_of_member")]

    def __str__(self) -> str:
        return str(self.item_id)
