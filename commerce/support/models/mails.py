"""Received emails as they arrived, and the ids by which replies find their ticket."""

from django.db import models

from commerce.common.types import MAX_EMAIL

from ..types.tickets import MAX_REASON, MAX_SUBJECT, MailOutcome
from .messages import Message, private_files, random_name
from .tickets import Ticket


class ReceivedMail(models.Model):
    """An email that was received, and what came of it."""

    #: The same for each delivery of one email; see `types.mail.digest`.
    digest = models.CharField(max_length=64, unique=True)
    sender = models.CharField(max_length=MAX_EMAIL, blank=True, default="")
    subject = models.CharField(max_length=MAX_SUBJECT, blank=True, default="")
    outcome = models.CharField(max_length=15, choices=MailOutcome.choices)
    #: Why it was ignored or quarantined.
    reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    ticket = models.ForeignKey(Ticket, null=True, on_delete=models.CASCADE, related_name="received_mails")
    message = models.ForeignKey(Message, null=True, on_delete=models.SET_NULL, related_name="received_mails")
    #: The whole email, as an .eml file.
    original = models.FileField(upload_to=random_name, storage=private_files, max_length=100)
    size = models.PositiveBigIntegerField()
    received_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        ordering = ["-received_at", "-id"]
        indexes = [
            models.Index("received_at", "id", name="support_mail_by_date"),
            models.Index("outcome", "received_at", "id", name="support_mail_by_outcome"),
        ]

    def __str__(self) -> str:
        return self.subject or self.sender


class MailKey(models.Model):
    """The Message-ID of an email that was sent or received for a ticket, to which others refer."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="mail_keys")
    message = models.ForeignKey(Message, null=True, on_delete=models.SET_NULL, related_name="mail_keys")
    #: Without brackets; see `types.mail.message_ids`.
    key = models.CharField(max_length=255)
    is_sent = models.BooleanField()
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["id"]
        indexes = [models.Index(fields=["key", "-id"], name="support_mail_key")]

    def __str__(self) -> str:
        return self.key
