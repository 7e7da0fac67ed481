"""How recurring invoices are delivered."""

from django.db.models import TextChoices

MAX_EVERY = 60


class Delivery(TextChoices):
    """How far a recurring invoice goes by itself."""

    DRAFT = "draft", "Save as draft"
    SEND = "send", "Email to the client"
