"""Ratings by requesters (CSAT)."""

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.services.checks import is_whole

from ..models import Ticket
from ..types.tickets import BEST_RATING, MAX_COMMENT
from . import notices
from .locking import lock_ticket, save_ticket


@transaction.atomic
def rate_ticket(*, ticket: Ticket, rating: int, comment: str = "") -> Ticket:
    """Store the requester's rating of a ticket, 1 to 5, with a comment for staff, and return the ticket; the last rating counts.

    Raises Invalid (`rating`, `comment`).
    """
    if not is_whole(rating, 1, BEST_RATING):
        raise Invalid({"rating": f"Choose a rating from 1 to {BEST_RATING}."})
    text = comment.strip()
    if len(text) > MAX_COMMENT or "\0" in text:
        raise Invalid({"comment": f"The comment may not be greater than {MAX_COMMENT} characters."})
    locked = lock_ticket(ticket.pk)
    if locked.csat_sent_at is None and locked.resolved_at is None:
        raise Invalid({"rating": "This ticket can be rated once it is resolved."})
    if (locked.csat_rating, locked.csat_comment) == (rating, text):
        return locked
    locked.csat_rating, locked.csat_comment, locked.csat_rated_at = rating, text, timezone.now()
    save_ticket(locked)
    log(instance=locked, action="support.rate", data={"rating": rating})
    notices.record_rated(locked)
    return locked
