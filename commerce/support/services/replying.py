"""Adds messages to tickets: answers of staff, internal notes, and messages of customers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required_message
from cms_api.flags.selectors import get_setting
from commerce.common.types import MAX_NAME, read_email
from commerce.crm.selectors import refer_to_user

from ..models import Message, Ticket
from ..selectors.tickets import have_same_requester
from ..types.files import NewFile
from ..types.incoming import Incoming
from ..types.tickets import MAX_BODY, REOPENED, TEAM, AuthorType, Channel, TicketStatus, first_words, is_thanks
from . import notices
from .files import check_files, check_sendable, store_files
from .locking import CLOSED, become, lock_ticket, save_ticket
from .opening import store_arrival, store_ticket

#: How soon after resolving short thanks may leave a ticket resolved.
_THANKS_WITHIN = timedelta(days=1)


@transaction.atomic
def reply_as_staff(
    *,
    ticket: Ticket,
    message: str,
    internal: bool = False,
    user: Any = None,
    channel: Channel = Channel.ADMIN,
    files: Sequence[NewFile] = (),
) -> Message:
    """Answer a ticket, or add an internal note, and return the message. Without a `user` its author is the support team.

    An answer is emailed to the requester, makes the ticket pending, and stamps the first response; a note changes nothing else.
    Raises Invalid: `message`, `files`, and `status` for a closed ticket, or for an answer to one in quarantine.
    """
    body = _read_body(message)
    check_files(files)
    locked = lock_ticket(ticket.pk)
    if locked.is_closed:
        raise Invalid({"status": CLOSED})
    if locked.is_spam and not internal:
        raise Invalid({"status": "This ticket is marked as spam. Release it first."})
    if not internal:
        check_sendable(files)
    agent = refer_to_user(user)
    added = _add(
        locked,
        author_type=AuthorType.STAFF,
        author_name=agent["name"][: 2 * MAX_NAME] if agent else TEAM,
        user=user,
        channel=channel,
        body=body,
        is_internal=internal,
    )
    store_files(added, files)
    if not internal:
        if locked.status != TicketStatus.PENDING:
            become(locked, TicketStatus.PENDING, user=user)
        locked.first_response_at = locked.first_response_at or added.created_at
        locked.waiting_since, locked.nudged_at = added.created_at, None
    save_ticket(locked)
    log(instance=locked, action="support.note" if internal else "support.reply", user=user)
    if not internal:
        notices.send_reply(locked, added)
    return added


@transaction.atomic
def reply_as_customer(
    *,
    ticket: Ticket,
    message: str,
    email: str = "",
    name: str = "",
    user: Any = None,
    channel: Channel = Channel.WEBSITE,
    files: Sequence[NewFile] = (),
) -> Message:
    """Add a message by the requester, by default, or by another participant, and return it.

    A pending or resolved ticket is open then, and its assignee is emailed. A closed ticket stays closed: the message opens a new
    one that follows it, or goes to the open one that does already. Raises Invalid: `message`, `files`, `email`.
    """
    body = _read_body(message)
    check_files(files)
    address = read_email(email) if email else ""
    return add_customer_message(ticket, Incoming(body, channel, email=address, name=name, user=user, files=files))


def add_customer_message(ticket: Ticket, incoming: Incoming) -> Message:
    """`reply_as_customer` with checked values, in the caller's transaction. An automatic message changes no status.

    Somebody who does not take part cannot continue a closed ticket either: the new ticket is theirs. Nor does the requester of a
    merged ticket take part in one of somebody else.
    """
    locked = lock_ticket(_latest(ticket.pk))
    if not have_same_requester(locked, ticket):
        incoming = replace(incoming, email=incoming.email or ticket.email, is_participant=False)
    if locked.is_closed and not incoming.is_automatic and incoming.is_participant:
        following = Ticket.objects.filter(follows=locked, email=locked.email, merged_into=None).exclude(
            status=TicketStatus.CLOSED
        )
        if (pk := following.order_by("-pk").values_list("pk", flat=True).first()) is not None:
            locked = lock_ticket(pk)
    if locked.is_closed and not incoming.is_automatic:
        return _continue(locked, incoming)
    email = incoming.email
    added = _add(
        locked,
        author_type=AuthorType.CUSTOMER,
        author_name=_author_name(incoming) or ("" if email and email != locked.email else locked.name),
        author_email=email or locked.email,
        user=incoming.user,
        channel=incoming.channel,
        body=incoming.body,
        full_text=incoming.full_text,
        is_automatic=incoming.is_automatic,
        is_participant=incoming.is_participant,
    )
    store_arrival(added, incoming)
    if not incoming.is_automatic:
        if locked.status in REOPENED and not _is_thanks(locked, added):
            become(locked, TicketStatus.OPEN)
        locked.waiting_since = locked.nudged_at = None
    save_ticket(locked)
    if not incoming.is_automatic and not locked.is_spam:
        notices.notify_of_message(locked, added)
    return added


def _latest(pk: int) -> int:
    """Return the ticket that has the messages of a merged one."""
    for _ in range(20):
        into = Ticket.objects.filter(pk=pk).values_list("merged_into", flat=True).first()
        if into is None:
            break
        pk = into
    return pk


def _author_name(incoming: Incoming) -> str:
    return " ".join(incoming.name.split())[: 2 * MAX_NAME]


def _continue(closed: Ticket, incoming: Incoming) -> Message:
    """Open a ticket that follows a closed one, and return its first message."""
    is_requester = incoming.is_participant and incoming.email in {"", closed.email}
    following = Ticket(
        # A stranger does not learn the subject.
        subject=closed.subject if incoming.is_participant else first_words(incoming.body),
        name=closed.name if is_requester else _author_name(incoming),
        email=closed.email if is_requester else incoming.email,
        category=closed.category,
        priority=closed.priority,
        assignee=closed.assignee,
        user=closed.user if is_requester else incoming.user,
        follows=closed,
    )
    reason = closed.spam_reason or "The closed ticket is marked as spam." if closed.is_spam else ""
    store_ticket(following, incoming, spam_reason=reason)
    return following.messages.get()


def _is_thanks(ticket: Ticket, message: Message) -> bool:
    """Return whether a message leaves a resolved ticket resolved."""
    if ticket.status != TicketStatus.RESOLVED or ticket.resolved_at is None or not get_setting("support.ignore_thanks"):
        return False
    return message.created_at - ticket.resolved_at <= _THANKS_WITHIN and is_thanks(message.body)


def _add(ticket: Ticket, **values: Any) -> Message:
    """Add a message to a locked ticket; the caller saves the ticket."""
    now = timezone.now()
    ticket.message_count += 1
    ticket.last_message_at = now
    return Message.objects.create(ticket=ticket, created_at=now, **values)


def add_system_note(ticket: Ticket, text: str) -> None:
    """Add an internal message to a locked ticket; the caller saves the ticket."""
    _add(ticket, author_type=AuthorType.SYSTEM, author_name="", channel=Channel.SYSTEM, body=text, is_internal=True)


def _read_body(message: Any) -> str:
    body = message.strip() if isinstance(message, str) else ""
    if not body or "\0" in body:
        raise Invalid({"message": required_message("message")})
    if len(body) > MAX_BODY:
        raise Invalid({"message": f"The message may not be greater than {MAX_BODY} characters."})
    return body
