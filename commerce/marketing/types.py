"""The states of subscribers and the limits of what is written of them: rules that need no database."""

from django.db.models import TextChoices

MAX_SOURCE = 100


class Status(TextChoices):
    #: Gets mail.
    ACTIVE = "active"
    #: Has signed up, and has not yet confirmed that the address is theirs.
    PENDING = "pending"
    #: Wants no mail; kept so that nobody writes to them again.
    UNSUBSCRIBED = "unsubscribed"
