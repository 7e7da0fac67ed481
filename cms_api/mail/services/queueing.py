"""Queues mails fully rendered, so that later changes do not affect them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from cms_api.core import registry
from cms_api.core.wakeups import wake
from cms_api.flags.services import notify

from .. import selectors
from ..models import MailAttachment, OutgoingMail
from ..types import (
    NOT_MAILABLE,
    Attachment,
    AutoSubmitted,
    MailState,
    Recipient,
    Visitor,
    Words,
    find_recipients,
    for_mail_server,
    is_address,
    read_address,
    read_attachments,
    read_headers,
)
from .rendering import is_empty, render
from .unconfirmed import is_unconfirmed

#: Stands for a secret in what is shown.
HIDDEN = "(not shown)"


@transaction.atomic
def queue_to_business(
    *, template: str, context: Mapping[str, Any], reply_to: str = "", about: str = "", to: Sequence[str] = ()
) -> None:
    """Write a declared mail to the first of `to` that can be mailed, or else to the business, if it can."""
    if address := next(filter(is_address, (*to, settings.BUSINESS_EMAIL)), ""):
        queue(template=template, to=[address], context=context, reply_to=reply_to, about=about)


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
    about: str = "",
    entered_by: Visitor | None = None,
) -> list[OutgoingMail]:
    """Write a declared mail for each recipient, in the caller's transaction; a worker sends it afterwards.

    A mail that a visitor causes waits while the budget of its recipient is spent, unless the visitor has shown that the address
    is theirs (`unconfirmed`). So does one whose address was `entered_by` a visitor earlier, as in a job. `about` names the record
    whose state the mail reports, such as `booking:7`: a mail about it that waits is replaced by this one.

    The secrets of a mail are stored apart from what *Sent mail* shows, until it is sent.

    `context` has a text or a Block for each declared placeholder. With `null_sender`, the envelope has no sender if the mail
    server allows it. Each recipient gets a separate mail: none sees the others, and a refused one does not affect the rest.

    Titles, names and addresses that are stored never make this raise, in the middle of a payment or a job: what no header can
    have is replaced, a `reply_to` that can't be mailed is left out, and a mail to such an address is written as failed.

    Raises Invalid (`attachments`) for files that are too large, ValueError for a mail or placeholder that is not declared.
    """
    values = _values(template, context)
    recipients = find_recipients(to)
    content = selectors.words(template)
    rendered = render(content, values)
    hidden = {name: HIDDEN for name in registry.mail(template).secrets if not is_empty(values[name])}
    shown = render(content, {**values, **hidden}) if hidden else rendered
    common = {
        "template": template,
        "sender": _sender(values["site"]),
        "reply_to": str(read_address(reply_to)) if is_address(reply_to) else "",
        "headers": read_headers(headers or {}),
        "auto_submitted": auto_submitted,
        "null_sender": null_sender,
        "about": about,
        "has_secrets": bool(hidden),
        "secret_content": asdict(rendered) if hidden else None,
    }
    to_staff = registry.mail(template).to_staff
    files = read_attachments(attachments)
    if about:
        _replace(list(recipients), about)
    mails = []
    for recipient, is_mailable in recipients.items():
        is_counted = is_mailable and (entered_by is not None or bool(about) or not to_staff)
        is_limited = is_counted and is_unconfirmed(recipient.address, entered_by)
        state = {"is_limited": is_limited} if is_mailable else _unmailable()
        mails.append(_write(recipient, shown, files, {**common, **state}))
    notify("mail.queued", mails)
    wake(selectors.QUEUE)
    return mails


def _unmailable() -> dict[str, Any]:
    """Return the column values of a mail that nothing tries to send, as its address can't be mailed."""
    return {**OutgoingMail.FAILED, "error": NOT_MAILABLE, "next_attempt_at": None, "finished_at": timezone.now()}


def _values(template: str, context: Mapping[str, Any]) -> dict[str, Any]:
    if template not in registry.mails():
        raise ValueError(f"No module declares the mail {template!r}.")
    declared = set(registry.mail(template).placeholders)
    if declared != set(context):
        raise ValueError(f"The mail {template!r} has the placeholders {sorted(declared)}, not {sorted(context)}.")
    return {**context, **selectors.common_values()}


def _replace(recipients: Sequence[Recipient], about: str) -> None:
    """End the mails about a record that wait for the budget of their recipient."""
    selectors.replaceable_mails(about, [recipient.address for recipient in recipients]).update(**get_replaced_values())


def get_replaced_values() -> dict[str, Any]:
    """Return the column values of a mail that a later one about its record replaces."""
    return {
        "state": MailState.REPLACED,
        "secret_content": None,
        "lost": 0,
        "next_attempt_at": None,
        "finished_at": timezone.now(),
    }


def _write(recipient: Recipient, rendered: Words, files: Sequence[Attachment], common: Mapping[str, Any]) -> OutgoingMail:
    now = timezone.now()
    mail = OutgoingMail.objects.create(
        **{"next_attempt_at": now, **common},
        recipient=recipient.address,
        recipient_name=recipient.name,
        subject=rendered.subject,
        text=rendered.text,
        html=rendered.html,
        message_id=new_message_id(),
        created_at=now,
    )
    MailAttachment.objects.bulk_create(
        MailAttachment(
            mail=mail, name=file.name, type=file.type, content=file.content, maker=file.maker, made_from=dict(file.made_from)
        )
        for file in files
    )
    return mail


def _sender(site: str) -> str:
    """Return the default address with the site's name, unless the setting includes a name."""
    given = read_address(settings.DEFAULT_FROM_EMAIL)
    return str(given if given.name else Recipient(given.address, site))


def new_message_id() -> str:
    address = for_mail_server(read_address(settings.DEFAULT_FROM_EMAIL).address)
    return f"<{secrets.token_hex(16)}@{address.rpartition('@')[2]}>"
