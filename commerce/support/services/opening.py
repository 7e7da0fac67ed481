"""Opens tickets, from emails, pages and the admin."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.selectors import owns_address
from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, invalid_choice, required_message
from cms_api.webhooks.services import emit
from commerce.common.services import next_number
from commerce.common.services.checks import check_line, check_text
from commerce.common.types import MAX_NAME, read_email

from ..models import Category, MailKey, Message, StatusChange, Ticket
from ..types.files import NewFile
from ..types.incoming import Incoming
from ..types.tickets import (
    FIRST_NUMBER,
    MAX_BODY,
    MAX_REASON,
    MAX_SUBJECT,
    SERIES,
    AuthorType,
    Channel,
    Priority,
    TicketStatus,
    first_words,
)
from . import notices
from .assigning import assign_by_rules
from .files import check_files, store_files


@transaction.atomic
def open_ticket(
    *,
    values: Mapping[str, Any],
    channel: Channel,
    user: Any = None,
    files: Sequence[NewFile] = (),
    spam_reason: str = "",
    by_staff: bool = False,
    acknowledge: bool = True,
) -> Ticket:
    """Open a ticket with its first message, assign it by the rules, acknowledge it to the requester, and fire `ticket.created`.

    `values`: `email` and `message` (both required), `subject` (by default the first words of the message), `name`, `category`
    (a Category or None), `priority` (by default normal). With a `spam_reason` it is quarantined: nothing is sent and nothing
    fires until it is released. `user` is the account that opens it, or, with `by_staff`, the member of staff. The ticket is in
    the account only if its address is one that the account has confirmed: what staff answer is for the owner of the address.
    Raises Invalid by these names, and `files`.
    """
    check_files(files)
    ticket = read_ticket(values)
    ticket.user = user if not by_staff and owns_address(user, ticket.email) else None
    incoming = Incoming(str(values["message"]).strip(), channel, files=files)
    return store_ticket(ticket, incoming, spam_reason=spam_reason, acknowledge=acknowledge, opened_by=user)


def read_ticket(values: Mapping[str, Any]) -> Ticket:
    """Return a ticket with the values that somebody entered, not stored. Raises Invalid."""
    errors = ErrorCollector()
    message = values.get("message") or ""
    if not isinstance(message, str) or not message.strip():
        errors.add("message", required_message("message"))
    else:
        check_text(errors, "message", message, MAX_BODY)
    subject = values.get("subject") or ""
    if isinstance(subject, str):
        subject = " ".join(subject.split()) or first_words(message if isinstance(message, str) else "")
    name = " ".join(str(values.get("name") or "").split())
    check_line(errors, "subject", subject, MAX_SUBJECT, needed="message" not in errors.errors)
    check_line(errors, "name", name, 2 * MAX_NAME)
    visitors.check_name(errors, "name", name)
    email = ""
    with errors.under():
        email = read_email(str(values.get("email") or ""))
    category, priority = values.get("category"), values.get("priority") or Priority.NORMAL
    if category is not None and not isinstance(category, Category):
        errors.add("category", invalid_choice("category"))
    if priority not in Priority.values:
        errors.add("priority", invalid_choice("priority", Priority.values))
    errors.raise_if_any()
    return Ticket(subject=subject, name=name, email=email, category=category, priority=priority)


def store_ticket(
    ticket: Ticket, incoming: Incoming, *, spam_reason: str = "", acknowledge: bool = True, opened_by: Any = None
) -> Ticket:
    """Store a new ticket with its first message, by the requester; all else as `open_ticket`, in the caller's transaction."""
    now = timezone.now()
    ticket.channel, ticket.is_spam, ticket.spam_reason = incoming.channel, bool(spam_reason), spam_reason[:MAX_REASON]
    ticket.created_at = ticket.updated_at = ticket.last_message_at = now
    ticket.message_count = 1
    if not ticket.is_spam:
        assign_by_rules(ticket, incoming.body)
    # As late as possible: others wait for the number.
    ticket.number = f"{SERIES}-{next_number(SERIES, first=FIRST_NUMBER)}"
    ticket.save(force_insert=True)
    StatusChange.objects.create(ticket=ticket, status=TicketStatus.OPEN, at=now, user=opened_by)
    message = Message.objects.create(
        ticket=ticket,
        author_type=AuthorType.CUSTOMER,
        author_name=ticket.name,
        author_email=ticket.email,
        user=ticket.user,
        channel=incoming.channel,
        body=incoming.body,
        full_text=incoming.full_text,
        is_automatic=incoming.is_automatic,
        created_at=now,
    )
    store_arrival(message, incoming)
    log(instance=ticket, action="wagtail.create", user=opened_by)
    get_search_backend().add(ticket)
    if not ticket.is_spam:
        publish_ticket(ticket, acknowledge=acknowledge)
    return ticket


def store_arrival(message: Message, incoming: Incoming) -> None:
    """Store the files of a new message, and the id of the email that it arrived by, if it did, as answers name it."""
    if incoming.mail_key:
        values = {"message": message, "key": incoming.mail_key, "is_sent": False, "created_at": message.created_at}
        MailKey.objects.create(ticket_id=message.ticket_id, **values)
    store_files(message, incoming.files)


def publish_ticket(ticket: Ticket, *, acknowledge: bool) -> None:
    """Do what follows from a new ticket that is not spam, or no longer: once for each ticket."""
    if ticket.announced_at is not None:
        return
    ticket.announced_at = timezone.now()
    ticket.save(update_fields=["announced_at"])
    emit("ticket.created", ticket)
    notices.record_opened(ticket)
    if acknowledge:
        notices.acknowledge(ticket)
    if ticket.assignee is not None:
        notices.notify_assignee(ticket)
