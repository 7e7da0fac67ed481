"""Writes of the help desk."""

from .assigning import assign_ticket
from .editing import set_category, set_priority, set_requester, set_subject, set_tags
from .merging import merge_tickets
from .opening import open_ticket
from .quarantine import mark_spam, release_ticket
from .rating import rate_ticket
from .receiving import receive_mail
from .replying import reply_as_customer, reply_as_staff
from .statuses import set_status

__all__ = [
    "assign_ticket",
    "mark_spam",
    "merge_tickets",
    "open_ticket",
    "rate_ticket",
    "receive_mail",
    "release_ticket",
    "reply_as_customer",
    "reply_as_staff",
    "set_category",
    "set_priority",
    "set_requester",
    "set_status",
    "set_subject",
    "set_tags",
]
