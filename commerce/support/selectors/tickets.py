"""Reads of tickets and their messages."""

import re
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.records import filter_given
from cms_api.text.search import matching
from commerce.common.selectors import placed_by
from commerce.common.types import email_key

from ..models import CannedAnswer, Category, MailKey, Message, Tag, Ticket
from ..types.tickets import AWAITING_STAFF, TicketStatus

#: Relations shown with a ticket.
SHOWN = ("category", "assignee")
_NUMBER = re.compile(r"\bSUP-([1-9][0-9]{0,17})\b", re.IGNORECASE)


def tickets(
    *,
    status: str | None = None,
    priority: str | None = None,
    email: str | None = None,
    assigned_to: int | None = None,
    category_id: int | None = None,
    since: datetime | None = None,
    include_spam: bool = False,
    search: str = "",
) -> QuerySet[Ticket]:
    """Return tickets without spam, unless it is included; `status` may be `awaiting_staff`."""
    found = Ticket.objects.select_related(*SHOWN)
    if not include_spam:
        found = found.filter(is_spam=False)
    if status:
        found = found.filter(status=TicketStatus.OPEN if status == AWAITING_STAFF else status)
    found = filter_given(
        found,
        priority=priority or None,
        email=None if email is None else email_key(email),
        assignee=assigned_to,
        category=category_id,
        created_at__gte=since,
    )
    return matching(found, search) if search.strip() else found


def tickets_of(user: Any) -> QuerySet[Ticket]:
    """Return the tickets that an account opened with its address of then, and those of its confirmed address, without spam."""
    return placed_by(Ticket.objects.filter(is_spam=False), user)


def get_ticket(pk: int) -> Ticket | None:
    return Ticket.objects.select_related(*SHOWN).filter(pk=pk).first()


def messages_of(ticket: Ticket) -> QuerySet[Message]:
    """Return the whole thread, for staff: oldest first, with files."""
    return Message.objects.filter(ticket=ticket).prefetch_related("attachments").order_by("created_at", "id")


def public_messages(ticket: Ticket) -> QuerySet[Message]:
    """Return what the requester may read: no internal messages, and none of people who do not take part."""
    return messages_of(ticket).filter(is_internal=False, is_participant=True)


def takes_part(ticket: Ticket, address: str) -> bool:
    """Return whether an address is the requester's, or has written to the ticket as a participant."""
    key = email_key(address)
    own = Message.objects.filter(ticket=ticket, author_email=key, is_participant=True)
    return ticket.email == key or own.exists()


def key_of_ids(message_ids: list[str]) -> MailKey | None:
    """Return the first of some Message-IDs that was sent or received, with its ticket.

    Anybody may send an email with an id that is known: it stays that of the email that was sent, or came first.
    """
    rows = MailKey.objects.filter(key__in=message_ids).order_by("-is_sent", "id").select_related("ticket")
    found = {row.key: row for row in reversed(rows)}
    return next((found[each] for each in message_ids if each in found), None)


def message_of_ids(message_ids: list[str]) -> Message | None:
    """Return the message that was sent by email with one of some Message-IDs."""
    key = MailKey.objects.filter(key__in=message_ids, is_sent=True).exclude(message=None).order_by("-id").first()
    return key.message if key else None


def ticket_of_subject(subject: str, sender: str) -> Ticket | None:
    """Return the ticket whose number is in a subject, if the sender takes part in it."""
    for number in list(dict.fromkeys(_NUMBER.findall(subject)))[:5]:
        ticket = Ticket.objects.filter(number=f"SUP-{number}").first()
        if ticket is not None and takes_part(ticket, sender):
            return ticket
    return None


def have_same_requester(first: Ticket, second: Ticket) -> bool:
    """Return whether two tickets are one person's, so that who may see one may see the other.

    An account may have given an address up, which is somebody else's now: then the address alone does not say who it is.
    """
    if first.email != second.email:
        return False
    accounts = {ticket.user_id: ticket.user for ticket in (first, second)}
    return len(accounts) == 1 or all(email_key(confirmed_address(user)) == first.email for user in accounts.values() if user)


def agents() -> QuerySet[User]:
    """Return the people who may handle tickets."""
    users: Any = get_user_model()._default_manager
    backend = "django.contrib.auth.backends.ModelBackend"
    return users.with_perm("support.change_ticket", backend=backend).order_by("pk")


def categories(*, only_public: bool = False) -> QuerySet[Category]:
    return Category.objects.filter(is_public=True) if only_public else Category.objects.all()


def all_tags() -> QuerySet[Tag]:
    return Tag.objects.order_by("name")


def canned_answers(category: Category | None = None) -> list[CannedAnswer]:
    """Return the canned answers, those of a category first."""
    return sorted(
        CannedAnswer.objects.order_by("title", "id"), key=lambda answer: category is None or answer.category_id != category.pk
    )


def admin_url(pk: int) -> str:
    """Return the path of a ticket's page in the admin."""
    return f"/admin/support/tickets/inspect/{pk}/"
