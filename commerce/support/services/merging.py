"""Merges tickets."""

from typing import Any

from django.db import transaction
from django.db.models import Min
from wagtail.log_actions import log

from cms_api.core.errors import Invalid

from ..models import MailKey, Message, ReceivedMail, Ticket
from ..selectors.tickets import have_same_requester
from ..types.tickets import TicketStatus
from .locking import CLOSED, lock_ticket, save_ticket
from .replying import add_system_note
from .statuses import change_status


@transaction.atomic
def merge_tickets(*, ticket: Ticket, into: Ticket, user: Any = None) -> Ticket:
    """Move the messages of a ticket into another one, close the first, and return the other, which gets its tags too.

    Later answers to either go to the other one. If it is of another requester, that one does not see the moved messages of the
    first, nor what staff have answered to them. Raises Invalid (`into`).
    """
    if ticket.pk == into.pk:
        raise Invalid({"into": "A ticket cannot be merged into itself."})
    # In one order, so that two merges do not wait for each other.
    locked = {pk: lock_ticket(pk) for pk in sorted((ticket.pk, into.pk))}
    source, target = locked[ticket.pk], locked[into.pk]
    if source.merged_into_id is not None or target.merged_into_id is not None:
        raise Invalid({"into": "One of these tickets was merged already."})
    if target.is_closed:
        raise Invalid({"into": CLOSED})
    if source.is_spam or target.is_spam:
        raise Invalid({"into": "A ticket that is marked as spam cannot be merged."})
    moved = Message.objects.filter(ticket=source)
    if not have_same_requester(source, target):
        hidden = moved.filter(is_internal=False)
        if source.email != target.email:
            hidden = hidden.exclude(author_email=target.email)
        hidden.update(is_participant=False)
    response = moved.filter(author_type="staff", is_internal=False).aggregate(first=Min("created_at"))["first"]
    target.message_count += source.message_count
    source.message_count = 0
    moved.update(ticket=target)
    MailKey.objects.filter(ticket=source).update(ticket=target)
    ReceivedMail.objects.filter(ticket=source).update(ticket=target)
    Ticket.objects.filter(merged_into=source).update(merged_into=target)
    target.tags.add(*source.tags.all())
    if response is not None and target.first_response_at is None:
        target.first_response_at = response
    add_system_note(target, f"{source.number} was merged into this ticket.")
    save_ticket(target)
    source.merged_into = target
    add_system_note(source, f"This ticket was merged into {target.number}.")
    log(instance=target, action="support.merge", user=user, data={"number": source.number})
    if source.is_closed:
        save_ticket(source)
    else:
        change_status(source, TicketStatus.CLOSED, user=user)
    return target
