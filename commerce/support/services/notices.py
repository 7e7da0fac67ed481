"""Emails about tickets, and their entries in the timelines of contacts."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone

from cms_api.fields.names import has_web_address
from cms_api.mail.services import queue
from cms_api.mail.services.unconfirmed import charge
from cms_api.mail.types import MAX_ATTACHED_BYTES, Attachment, AutoSubmitted, QueuedMail, Visitor, is_address
from commerce.common.types import split_name
from commerce.crm.selectors import refer_to_user
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import MailKey, Message, Ticket
from ..resources.mails import history, intro
from ..selectors.addresses import reply_address
from ..selectors.links import RATING_LINK, TICKET_LINK
from ..selectors.tickets import admin_url
from ..types.mail import NOBODY
from ..types.quotes import MARKER
from ..types.tickets import Channel

SOURCE = "support"
#: The header by which this site recognises its own emails.
LOOP = "X-Loop"
#: Stands for a subject that would advertise an address to somebody whose address a stranger entered.
SUBJECT = "Your request"
#: Ids that an email refers to; a header has no room for many more.
_MAX_REFERENCES = 8


def loop_mark() -> str:
    """Return the value of X-Loop in emails of this site."""
    return f"support@{urlsplit(settings.BASE_URL).hostname or 'localhost'}"


def record_opened(ticket: Ticket) -> None:
    """Create or fill in the requester's contact while the CRM is on, and record the ticket in its timeline."""
    if ticket.email == NOBODY:
        return
    activity = _activity(ticket, f"Opened {ticket.number}: {ticket.subject}", "opened")
    record_customer(email=ticket.email, name=ticket.name, source=SOURCE, activity=activity)


def record_closed(ticket: Ticket) -> None:
    record_activity(email=ticket.email, activity=_activity(ticket, f"{ticket.number} closed: {ticket.subject}"))


def record_rated(ticket: Ticket) -> None:
    record_activity(email=ticket.email, activity=_activity(ticket, f"Rated {ticket.number}: {ticket.csat_rating} of 5"))


def _activity(ticket: Ticket, summary: str, once: str = "") -> NewActivity:
    reference = f"support:{ticket.pk}:{once}" if once else ""
    return NewActivity(ActivityKind.SUPPORT, summary, reference, link=admin_url(ticket.pk))


def acknowledge(ticket: Ticket) -> None:
    """Tell the requester that the ticket is there: at most once an hour, and some times a day, for each address.

    It does not repeat the message, nor the subject of the form on the site: anyone may have entered the address, to have us
    send their words to somebody.
    """
    if not _is_reachable(ticket) or not charge(purpose="support:received", address=ticket.email).allowed:
        return
    shown = {"subject": SUBJECT} if ticket.channel == Channel.WEBSITE else {}
    _send("support_received", ticket, shown, auto_submitted=AutoSubmitted.REPLIED, null_sender=True)


def send_reply(ticket: Ticket, message: Message) -> None:
    """Email an answer of staff to the requester, with its files and the messages before it."""
    if not _is_reachable(ticket):
        return
    context = {"message": message.body, "agent": message.author_name, "history": history(ticket, message)}
    files = [Attachment(each.filename, each.read(), each.type) for each in message.attachments.all()]
    if sum(len(each.content) for each in files) > MAX_ATTACHED_BYTES:
        files = []
    _send("support_reply", ticket, context, message=message, attachments=files, auto_submitted=AutoSubmitted.BY_PERSON)


def send_nudge(ticket: Ticket) -> None:
    """Remind the requester that an answer is awaited."""
    if _is_reachable(ticket):
        _send("support_nudge", ticket, {}, auto_submitted=AutoSubmitted.GENERATED, null_sender=True)


def ask_for_rating(ticket: Ticket) -> None:
    if _is_reachable(ticket):
        _send(
            "support_csat",
            ticket,
            {"rating_url": RATING_LINK.url(ticket)},
            auto_submitted=AutoSubmitted.GENERATED,
            null_sender=True,
        )


def _is_reachable(ticket: Ticket) -> bool:
    return ticket.email != NOBODY and is_address(ticket.email)


def _send(
    template: str,
    ticket: Ticket,
    more: Mapping[str, Any],
    *,
    message: Message | None = None,
    attachments: Sequence[Attachment] = (),
    auto_submitted: AutoSubmitted,
    null_sender: bool = False,
) -> None:
    """Email the requester, so that an answer finds its way back to the ticket.

    Anyone may have entered the address: it is limited, unless staff have written this `message` to it.
    """
    context = {
        "marker": MARKER,
        "name": "" if has_web_address(ticket.name) else split_name(ticket.name)[0],
        "number": ticket.number,
        "subject": SUBJECT if has_web_address(ticket.subject) else ticket.subject,
        "ticket_url": TICKET_LINK.url(ticket),
        **more,
    }
    headers = {**_thread(ticket), LOOP: loop_mark()}
    if auto_submitted:
        headers["X-Auto-Response-Suppress"] = "All"
    sent = queue(
        template=template,
        to=[ticket.email],
        context=context,
        reply_to=reply_address(ticket),
        headers=headers,
        attachments=attachments,
        auto_submitted=auto_submitted,
        null_sender=null_sender,
        entered_by=None if message else Visitor(ticket.user),
    )
    for mail in sent:
        remember_sent(ticket, mail, message)


def remember_sent(ticket: Ticket, mail: QueuedMail, message: Message | None) -> None:
    """Remember the id of an email, as answers and reports of its failure name it."""
    key = mail.message_id.strip("<>")
    MailKey.objects.create(ticket=ticket, message=message, key=key, is_sent=True, created_at=timezone.now())


def _thread(ticket: Ticket) -> dict[str, str]:
    """Return the headers by which mail programs show the emails of a ticket as one conversation."""
    keys = list(MailKey.objects.filter(ticket=ticket).order_by("-id")[:_MAX_REFERENCES])
    received = next((key for key in keys if not key.is_sent), keys[0] if keys else None)
    if received is None:
        return {}
    references, length = [], 0
    for key in keys:
        length += len(key.key) + 3
        if length > 800 or not key.key.isascii() or not key.key.isprintable():
            break
        references.append(f"<{key.key}>")
    if not received.key.isascii() or not received.key.isprintable():
        return {}
    return {"In-Reply-To": f"<{received.key}>", "References": " ".join(reversed(references)) or f"<{received.key}>"}


def notify_assignee(ticket: Ticket) -> None:
    """Email the person that a ticket is assigned to."""
    _notify("support_assigned", ticket, _last_public(ticket))


def notify_of_message(ticket: Ticket, message: Message) -> None:
    """Email the assignee about a message of a customer."""
    if ticket.assignee is not None:
        _notify("support_message", ticket, message)


def _last_public(ticket: Ticket) -> Message | None:
    return ticket.messages.filter(is_internal=False).order_by("created_at", "id").last()


def _notify(template: str, ticket: Ticket, message: Message | None) -> None:
    person = ticket.assignee
    agent = refer_to_user(person)
    if person is None or agent is None or not is_address(person.email):
        return
    context = {
        "agent": agent["name"],
        "number": ticket.number,
        "subject": ticket.subject,
        "requester": ticket.requester,
        "priority": str(ticket.get_priority_display()).lower(),
        "message": intro(message),
        "admin_url": settings.BASE_URL + admin_url(ticket.pk),
    }
    # Nobody answers the requester by this email.
    queue(
        template=template, to=[person.email], context=context, headers={LOOP: loop_mark()}, auto_submitted=AutoSubmitted.GENERATED
    )
