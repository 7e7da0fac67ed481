"""Builds the message to send from a stored mail: the same at every attempt, except for the MIME boundaries."""

from copy import copy
from email.encoders import encode_base64
from email.mime.base import MIMEBase
from email.utils import format_datetime
from typing import Any

from django.core.mail import EmailMultiAlternatives
from django.utils.module_loading import import_string

from ..models import MailAttachment, OutgoingMail
from ..types import for_mail_server


class StoredMessage(EmailMultiAlternatives):
    """A message as it is handed to the mail server."""

    #: Read by `smtp_backend`; other backends have no envelope.
    null_sender = False

    def recipients(self) -> list[str]:
        return [for_mail_server(each) for each in super().recipients()]

    def message(self, **options: Any) -> Any:
        made = copy(self)
        made.to = [for_mail_server(each) for each in self.to]
        return super(StoredMessage, made).message(**options)


def message(mail: OutgoingMail) -> StoredMessage:
    words = mail.words
    headers = {**mail.headers, "Message-ID": mail.message_id, "Date": format_datetime(mail.created_at)}
    if mail.auto_submitted:
        # Keeps auto-responders from answering.
        headers["Auto-Submitted"] = mail.auto_submitted
    made = StoredMessage(
        subject=words.subject,
        body=words.text,
        from_email=for_mail_server(mail.sender),
        to=[mail.to],
        reply_to=[for_mail_server(mail.reply_to)] if mail.reply_to else None,
        headers=headers,
    )
    made.null_sender = mail.null_sender
    made.attach_alternative(words.html, "text/html")
    for attachment in mail.attachments.all():
        made.attach(_part(attachment))
    return made


def content_of(attachment: MailAttachment) -> bytes:
    """Return the content of an attachment, which is made and stored the first time. Must not be called in a transaction."""
    if attachment.maker and not attachment.content:
        attachment.content = import_string(attachment.maker)(**attachment.made_from)
        MailAttachment.objects.filter(pk=attachment.pk).update(content=attachment.content)
    return bytes(attachment.content)


def _part(attachment: MailAttachment) -> MIMEBase:
    """Return an attachment's MIME part. Django's own attachments do not support media type parameters."""
    kind, *given = (word.strip() for word in attachment.type.split(";"))
    main, _, sub = kind.partition("/")
    parameters = dict(word.split("=", 1) for word in given)
    if main == "text":
        parameters.setdefault("charset", "utf-8")
    part = MIMEBase(main, sub)
    for name, value in parameters.items():
        part.set_param(name, value)
    part.set_payload(content_of(attachment))
    encode_base64(part)
    filename = attachment.name
    part.add_header("Content-Disposition", "attachment", filename=filename if filename.isascii() else ("utf-8", "", filename))
    return part
