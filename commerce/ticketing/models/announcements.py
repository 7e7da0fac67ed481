"""Messages to everybody who has a ticket for one date."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from commerce.common.types import MAX_EMAIL

from ..types.announcements import MAX_MESSAGE, MAX_SUBJECT, AnnouncementKind
from .orders import event_column


class Announcement(models.Model):
    """A message to the holders of tickets for a date. A job queues their emails in the order of the addresses."""

    event = event_column()
    start = models.CharField(max_length=19)
    kind = models.CharField(max_length=10, choices=AnnouncementKind.choices)
    subject = models.CharField(max_length=MAX_SUBJECT, blank=True, default="")
    message = models.TextField(max_length=MAX_MESSAGE, blank=True, default="")
    #: The last address whose email has been queued.
    sent_to = models.CharField(max_length=MAX_EMAIL, blank=True, default="")
    is_sent = models.BooleanField(default=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index("id", name="announcement_to_send", condition=Q(is_sent=False))]

    def __str__(self) -> str:
        return f"{self.kind} of {self.event_id} {self.start}"
