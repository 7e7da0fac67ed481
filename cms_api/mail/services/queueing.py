"""Queues mails fully rendered, so that later changes do not affect them."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.encoding import punycode

from cms_api.core import registry
from cms_api.core.wakeups import wake
from cms_api.flags.services import notify

from .. import selectors
from ..models import MailAttachment, OutgoingMail
from ..types import Attachment, AutoSubmitted, Recipient, Words, read_address, read_addresses, read_attachments, read_headers
from .rendering import render


@transaction.atomic
def queue(
    *,
    template: str,
    to: Sequence[str],
    context: Mapping[str, Any],
    reply_to: str = "",
    headers: Mapping[str, str] | None = None,
    attachments: Sequence[Attachment] = (),
    auto_submitted: AutoSubmitted = AutoSubmitted.GENERATED,
    null_sender: bool = False,
) -> list[OutgoingMail]:
    """Write a declared mail for each recipient, in the caller's transaction; a worker sends it afterwards.

    `context` has a text or a Block for each declared placeholder. With `null_sender`, the envelope has no sender if the mail
    server allows it. Each recipient gets a separate mail: none sees the others, and a refused one does not affect the rest.

    Raises Invalid (`to`, `reply_to`, `subject`, `headers.<name>`, `attachments`) for
    input that cannot be sent, ValueError for a mail or placeholder that is not declared.
    """
    values = _values(template, context)
    recipients = read_addresses(to)
    rendered = render(selectors.words(template), values)
    common = {
        "template": template,
        "sender": _sender(values["site"]),
        "reply_to": str(read_address(reply_to, "reply_to")) if reply_to else "",
        "headers": read_headers(headers or {}),
        "auto_submitted": auto_submitted,
        "null_sender": null_sender,
    }
    files = read_attachments(attachments)
    mails = [_write(recipient, rendered, files, common) for recipient in recipients]
    notify("mail.queued", mails)
    wake(selectors.QUEUE)
    return mails


def _values(template: str, context: Mapping[str, Any]) -> dict[str, Any]:
    if template not in registry.mails():
        raise ValueError(f"No module declares the mail {template!r}.")
    declared = set(registry.mail(template).placeholders)
    if declared != set(context):
        raise ValueError(f"The mail {template!r} has the placeholders {sorted(declared)}, not {sorted(context)}.")
    return {**context, **selectors.common_values()}


def _write(recipient: Recipient, rendered: Words, files: Sequence[Attachment], common: Mapping[str, Any]) -> OutgoingMail:
    now = timezone.now()
    mail = OutgoingMail.objects.create(
        **common,
        recipient=recipient.address,
        recipient_name=recipient.name,
        subject=rendered.subject,
        text=rendered.text,
        html=rendered.html,
        message_id=new_message_id(),
        next_attempt_at=now,
        created_at=now,
    )
    MailAttachment.objects.bulk_create(
        MailAttachment(mail=mail, name=file.name, type=file.type, content=file.content) for file in files
    )
    return mail


def _sender(site: str) -> str:
    """Return the default address with the site's name, unless the setting includes a name."""
    given = read_address(settings.DEFAULT_FROM_EMAIL)
    return str(given if given.name else Recipient(given.address, site))


def new_message_id() -> str:
    domain = read_address(settings.DEFAULT_FROM_EMAIL).address.rpartition("@")[2]
    return f"<{secrets.token_hex(16)}@{punycode(domain)}>"
