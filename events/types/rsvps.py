"""Replies to an invitation."""

from django.db.models import TextChoices

#: People that one reply may stand for.
MAX_PARTY = 20


class RsvpStatus(TextChoices):
    GOING = "going"
    CANCELLED = "cancelled"
