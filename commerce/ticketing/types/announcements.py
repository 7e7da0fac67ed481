"""Messages to the holders of tickets."""

from django.db.models import TextChoices

MAX_SUBJECT = 150
MAX_MESSAGE = 5000


class AnnouncementKind(TextChoices):
    MOVED = "moved", "The date has changed"
    CANCELLED = "cancelled", "The date is cancelled"
    RESTORED = "restored", "The date takes place after all"
    #: Written by staff.
    MESSAGE = "message", "Message"
