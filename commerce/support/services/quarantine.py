"""Marks tickets as spam, and releases them."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from ..models import Ticket
from ..types.tickets import AuthorType
from .assigning import assign_by_rules
from .locking import lock_ticket, save_ticket
from .opening import publish_ticket


@transaction.atomic
def mark_spam(*, ticket: Ticket, user: Any = None) -> bool:
    """Put a ticket into quarantine: nothing is sent for it any more. Return False if it is there already."""
    locked = lock_ticket(ticket.pk)
    if locked.is_spam:
        return False
    locked.is_spam, locked.spam_reason = True, "Marked as spam by staff."
    save_ticket(locked)
    log(instance=locked, action="support.mark_spam", user=user)
    return True


@transaction.atomic
def release_ticket(*, ticket: Ticket, user: Any = None) -> bool:
    """Release a ticket from quarantine; return False if it is not there.

    The first time, all that follows from a new ticket is done: it is assigned by the rules, and `ticket.created` fires. The
    requester gets an acknowledgement unless a machine wrote the email.
    """
    locked = lock_ticket(ticket.pk)
    if not locked.is_spam:
        return False
    locked.is_spam, locked.spam_reason = False, ""
    first = locked.messages.filter(author_type=AuthorType.CUSTOMER).order_by("created_at", "id").first()
    assign_by_rules(locked, first.body if first else "")
    save_ticket(locked)
    log(instance=locked, action="support.release", user=user)
    by_person = first is not None and not first.is_automatic
    publish_ticket(locked, acknowledge=by_person and not locked.is_closed)
    return True
