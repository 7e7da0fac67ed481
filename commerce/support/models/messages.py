"""Messages of tickets, and their files."""

import secrets

from django.conf import settings
from django.core.files.storage import Storage
from django.db import models

from cms_api.media.services.private import private_storage
from commerce.common.types import MAX_EMAIL, MAX_NAME

from ..types.files import EMAIL_FILES
from ..types.tickets import MAX_BODY, MAX_FILE_NAME, MAX_FILE_TYPE, MAX_REASON, AuthorType, Channel
from .tickets import Ticket


def private_files() -> Storage:
    """Return the storage of attached files and received emails."""
    return private_storage("support")


#: The name of the function in migrations.
PrivateFiles = private_files


def random_name(record: models.Model, filename: str) -> str:
    """Return a random file name, so that a sender's file name never reaches the disk."""
    return secrets.token_hex(20)


class Message(models.Model):
    """A message of a ticket. Internal ones are for staff only."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="messages", db_index=False)
    author_type = models.CharField(max_length=10, choices=AuthorType.choices)
    author_name = models.CharField(max_length=2 * MAX_NAME, blank=True, default="")
    #: Of customers; empty for staff.
    author_email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    channel = models.CharField(max_length=10, choices=Channel.choices)
    body = models.TextField(max_length=MAX_BODY)
    #: With quoted text, if that was cut off the body; empty otherwise.
    full_text = models.TextField(blank=True, default="")
    is_internal = models.BooleanField(default=False)
    #: Written by a machine, such as an out-of-office reply.
    is_automatic = models.BooleanField(default=False)
    #: Whether a customer's message is by somebody who takes part in the ticket; others got hold of a reply address.
    is_participant = models.BooleanField(default=True)
    #: When the email with this message turned out to be undeliverable.
    bounced_at = models.DateTimeField(null=True)
    bounce_reason = models.CharField(max_length=MAX_REASON, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        ordering = ["created_at", "id"]
        indexes = [
            models.Index("ticket", "created_at", "id", name="support_message_of_ticket"),
            models.Index("ticket", "author_email", name="support_message_by_author"),
        ]

    def __str__(self) -> str:
        return f"{self.author_name or self.author_email}, {self.created_at}"


class Attachment(models.Model):
    """A file of a message. Only views that check permissions serve it."""

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="attachments")
    #: The sender's own name for the file.
    filename = models.CharField(max_length=MAX_FILE_NAME)
    type = models.CharField(max_length=MAX_FILE_TYPE)
    size = models.PositiveBigIntegerField()
    file = models.FileField(upload_to=random_name, storage=private_files, max_length=100)

    class Meta:
        default_permissions = ()
        ordering = ["id"]

    def __str__(self) -> str:
        return self.filename

    @property
    def is_email(self) -> bool:
        """Return whether this is an email, in which a link of this site may be that signs somebody in."""
        return self.type.startswith(("message/", "multipart/")) or self.filename.lower().endswith(EMAIL_FILES)

    def read(self) -> bytes:
        """Return the content."""
        with self.file.open("rb") as opened:
            return bytes(opened.read())
