"""Series of repeating items, capacities, RSVPs, and events submitted by members. Occurrences themselves are content items."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from cms_api.auth.types import NETWORK_KEY_LENGTH
from cms_api.calendars.sequences import SequenceField
from cms_api.http.link_keys import LinkedRecord

from .types.plans import DateStatus
from .types.rsvps import MAX_PARTY, MAX_PLACES, Notice, RsvpStatus


class Series(models.Model):
    """An item with a repeating date, and how far its rule has been expanded."""

    item = models.OneToOneField("content.ContentItem", on_delete=models.CASCADE, primary_key=True, related_name="series")
    #: Whether more dates will be added; false if the rule has an end or the limit is reached.
    is_open = models.BooleanField()
    expanded_to = models.DateField()
    #: The numbers in the UIDs of dates whose row was another one once, by row id. That of every other date is its row's id.
    numbers = models.JSONField(default=dict)
    #: The local starts of dates that have moved, by the former ones, which links have.
    former_starts = models.JSONField(default=dict)

    class Meta:
        default_permissions = ()
        indexes = [models.Index("expanded_to", name="series_open", condition=Q(is_open=True))]

    def __str__(self) -> str:
        return f"{self.item_id} to {self.expanded_to}"


class DateChange(models.Model):
    """A date of a series that is skipped or cancelled. It stays when the rule is edited, and counts if the rule has the date."""

    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="date_changes", db_index=False)
    #: The date's local start.
    start = models.CharField(max_length=19)
    status = models.CharField(max_length=12, choices=DateStatus.choices)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["event", "start"], name="date_change_once")]

    def __str__(self) -> str:
        return f"{self.event_id} {self.start}: {self.status}"


class CalendarEntry(models.Model):
    """The VEVENTs of a published event, from `resources.vevents`. Stale unless made for the current item and type."""

    item = models.OneToOneField("content.ContentItem", on_delete=models.CASCADE, primary_key=True, related_name="calendar_entry")
    #: The type's epoch and the item's `updated_at` for which the VEVENTs were made.
    made_for = models.PositiveBigIntegerField()
    made_of = models.DateTimeField()
    shared = models.BinaryField()
    dates = models.BinaryField()
    #: The SEQUENCE of all dates: raised whenever the VEVENTs change.
    sequence = SequenceField(default=0)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.item_id)


class CalendarInvite(models.Model):
    """The last calendar file about a date of an event that an address got."""

    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="+")
    #: The number in the UID of the date; see `Series.numbers`.
    number = models.PositiveBigIntegerField()
    email_key = models.CharField(max_length=254)
    sequence = SequenceField()
    #: Whether it took the date out of the calendar.
    is_cancelled = models.BooleanField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["number", "email_key"], name="calendar_invite_once")]

    def __str__(self) -> str:
        return f"{self.number} {self.sequence}"


class Capacity(models.Model):
    """How many people may come to one date of an event, or to each of its dates. Without a row there is no limit."""

    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="capacities", db_index=False)
    #: The local start of the date; empty for each date without a row of its own.
    start = models.CharField(max_length=19, blank=True)
    places = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["event", "start"], name="capacity_once"),
            models.CheckConstraint(condition=Q(places__lte=MAX_PLACES), name="capacity_places"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.start}: {self.places}"


class Rsvp(LinkedRecord):
    """An RSVP to an occurrence: active, waiting for a place, or cancelled. Written by `services` only."""

    #: The event itself, whichever of its dates the RSVP is for.
    event = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="rsvps")
    #: The row of the date: one owned by the event or, for the first date, the event.
    occurrence = models.ForeignKey("content.ContentItem", on_delete=models.CASCADE, related_name="own_rsvps")
    #: The local start at the time of the RSVP.
    occurrence_start = models.CharField(max_length=19)
    name = models.CharField(max_length=100)
    email = models.EmailField(max_length=254)
    #: The normalized address, by which RSVPs are told apart.
    email_key = models.CharField(max_length=254, editable=False)
    party_size = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=12, choices=RsvpStatus.choices, default=RsvpStatus.GOING)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    cancelled_at = models.DateTimeField(null=True, editable=False)
    #: Since when it has been on the waiting list, which is its place in it.
    waiting_since = models.DateTimeField(null=True, editable=False)
    #: The network of a visitor who has not signed in; see `visitors.network_key`.
    network = models.CharField(max_length=NETWORK_KEY_LENGTH, blank=True, default="", db_default="", editable=False)
    #: When the mail about the latest change is due, if the address had one too recently, or there is a notice.
    mail_due_at = models.DateTimeField(null=True, editable=False)
    #: The subject of that mail, if somebody else caused it: such mails do not wait for an hour.
    notice = models.CharField(max_length=12, blank=True, default="", db_default="", choices=Notice.choices, editable=False)

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
            models.Index("mail_due_at", name="rsvp_mail_due", condition=Q(mail_due_at__isnull=False)),
            models.Index("occurrence", "waiting_since", name="rsvp_waiting", condition=Q(status=RsvpStatus.WAITING)),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.party_size})"


class Submission(models.Model):
    """The draft created from an event that a member submitted."""

    item = models.OneToOneField("content.ContentItem", on_delete=models.CASCADE, primary_key=True, related_name="submission")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    submitted_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("member", "submitted_at", name="submission_of_member")]

    def __str__(self) -> str:
        return str(self.item_id)
