"""Outgoing mails and their log, attachments, and the mail texts that editors have changed."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.core.leases import Retried

from .types import MAX_ABOUT, MAX_MEDIA_TYPE, MAX_NAME, MAX_RECIPIENT, MAX_SUBJECT, AutoSubmitted, MailState, Recipient, Words


class OutgoingMail(Retried):
    """A mail to one person, rendered and written in the transaction of the change that caused it."""

    PENDING = {"state": MailState.WAITING}
    SUCCEEDED = {"state": MailState.SENT, "secret_content": None}
    FAILED = {"state": MailState.FAILED, "secret_content": None}

    template = models.CharField(max_length=60)
    recipient = models.CharField(max_length=MAX_RECIPIENT)
    recipient_name = models.CharField(max_length=MAX_NAME, blank=True, default="")
    sender = models.CharField(max_length=640)
    reply_to = models.CharField(max_length=640, blank=True, default="")
    headers = models.JSONField(default=dict)
    #: The header Auto-Submitted (RFC 3834); empty for what a person wrote. The defaults are in the database too, so that the
    #: columns are added to a large log at once.
    auto_submitted = models.CharField(
        max_length=20,
        choices=AutoSubmitted.choices,
        blank=True,
        default=AutoSubmitted.GENERATED,
        db_default=AutoSubmitted.GENERATED,
    )
    #: Whether the envelope has no sender, so that nothing answers it and no report of its failure comes back.
    null_sender = models.BooleanField(default=False, db_default=False)
    #: The record whose state it reports, such as `booking:7`; a mail about it that waits is replaced by the next. May be empty.
    about = models.CharField(max_length=MAX_ABOUT, blank=True, default="", db_default="", editable=False)
    #: Whether it waits for the budget of its recipient: a visitor caused it who has not shown that the address is theirs.
    is_limited = models.BooleanField(default=False, db_default=False, editable=False)
    subject = models.CharField(max_length=MAX_SUBJECT)
    text = models.TextField()
    html = models.TextField()
    #: The `subject`, `text` and `html` of a mail with secrets, until it is sent, fails or is replaced; those above hide them.
    secret_content = models.JSONField(null=True, editable=False)
    has_secrets = models.BooleanField(default=False, db_default=False, editable=False)
    #: The same for every attempt, so that a receiver can drop duplicates.
    message_id = models.CharField(max_length=320, unique=True)
    state = models.CharField(max_length=10, choices=MailState.choices, default=MailState.WAITING)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ("view", "change")
        verbose_name = "mail"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["next_attempt_at", "id"], name="mail_due", condition=Q(state="waiting")),
            models.Index(fields=["state", "-id"], name="mail_by_state"),
            models.Index(fields=["template", "-id"], name="mail_by_template"),
            models.Index(fields=["recipient", "-id"], name="mail_by_recipient"),
            models.Index(fields=["about"], name="mail_waiting_about", condition=Q(state="waiting") & ~Q(about="")),
        ]

    def __str__(self) -> str:
        return self.subject

    @property
    def words(self) -> Words:
        """Return what is sent, with its secrets while they are stored."""
        return Words(**(self.secret_content or {"subject": self.subject, "text": self.text, "html": self.html}))

    @property
    def to(self) -> str:
        """Return the recipient in the form of a header."""
        return str(Recipient(self.recipient, self.recipient_name))


class MailAttachment(models.Model):
    mail = models.ForeignKey(OutgoingMail, on_delete=models.CASCADE, related_name="attachments")
    name = models.CharField(max_length=MAX_NAME)
    type = models.CharField(max_length=MAX_MEDIA_TYPE)
    #: Empty until it is made, if it has a maker; see `types.Attachment`.
    content = models.BinaryField(default=b"")
    maker = models.CharField(max_length=200, blank=True, default="", db_default="")
    made_from = models.JSONField(default=dict)

    class Meta:
        default_permissions = ()
        ordering = ["id"]

    def __str__(self) -> str:
        return self.name


class MailTemplate(models.Model):
    """An editor's version of a declared mail's text."""

    name = models.CharField(max_length=60, unique=True)
    subject = models.CharField(max_length=MAX_SUBJECT)
    text = models.TextField()
    html = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ("change",)
        verbose_name = "mail template"

    def __str__(self) -> str:
        return self.name

    @property
    def words(self) -> Words:
        return Words(self.subject, self.text, self.html)
