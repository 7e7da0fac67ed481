"""Links for requesters, which work without a password, and the texts of canned answers."""

from typing import Any

from django.db.models import QuerySet

from cms_api.flags.selectors import get_setting
from cms_api.http.signed_links import SignedLink
from cms_api.text.placeholders import fill
from commerce.common.types import split_name
from commerce.crm.selectors import refer_to_user

from ..models import CannedAnswer, Ticket

#: The page on which a requester reads and answers a ticket, and that on which they rate it.
TICKET_LINK = SignedLink("support.ticket", Ticket, view="support_ticket")
RATING_LINK = SignedLink("support.rating", Ticket, view="support_rate")


def find_by_ticket_token(token: str) -> Ticket | None:
    return TICKET_LINK.find(_tickets(), token)


def find_by_rating_token(token: str) -> Ticket | None:
    return RATING_LINK.find(_tickets(), token)


def _tickets() -> QuerySet[Ticket]:
    return Ticket.objects.select_related("category", "assignee").filter(is_spam=False)


def canned_text(answer: CannedAnswer, ticket: Ticket, user: Any = None) -> str:
    """Return a canned answer with its placeholders filled in for a ticket."""
    agent = refer_to_user(user)
    values = {
        "name": split_name(ticket.name)[0],
        "number": ticket.number,
        "subject": ticket.subject,
        "agent": agent["name"] if agent else "",
        "site": get_setting("site.name"),
    }
    return fill(answer.body, lambda name: values.get(name, ""))
