"""Links for requesters, which work without a password, and the texts of canned answers."""

from typing import Any

from django.conf import settings
from django.core import signing

from cms_api.flags.selectors import get_setting
from cms_api.text.placeholders import fill
from commerce.common.types import split_name
from commerce.crm.selectors import called

from ..models import CannedAnswer, Ticket

#: The pages are mounted at these paths; GET changes nothing.
TICKET_PATH = "/support/tickets/{token}/"
RATING_PATH = "/support/rate/{token}/"
_TICKET = signing.Signer(salt="support.ticket")
_RATING = signing.Signer(salt="support.rating")


def ticket_url(ticket: Ticket) -> str:
    """Return the address of the page on which a requester reads and answers a ticket."""
    return settings.BASE_URL + TICKET_PATH.format(token=_TICKET.sign(str(ticket.pk)))


def rating_url(ticket: Ticket) -> str:
    """Return the address of the page on which a requester rates a ticket."""
    return settings.BASE_URL + RATING_PATH.format(token=_RATING.sign(str(ticket.pk)))


def find_by_ticket_token(token: str) -> Ticket | None:
    return _find(_TICKET, token)


def find_by_rating_token(token: str) -> Ticket | None:
    return _find(_RATING, token)


def _find(signer: signing.Signer, token: str) -> Ticket | None:
    try:
        number = signer.unsign(token)
    except signing.BadSignature:
        return None
    return Ticket.objects.select_related("category", "assignee").filter(pk=number, is_spam=False).first()


def canned_text(answer: CannedAnswer, ticket: Ticket, user: Any = None) -> str:
    """Return a canned answer with its placeholders filled in for a ticket."""
    agent = called(user)
    values = {
        "name": split_name(ticket.name)[0],
        "number": ticket.number,
        "subject": ticket.subject,
        "agent": agent["name"] if agent else "",
        "site": get_setting("site.name"),
    }
    return fill(answer.body, lambda name: values.get(name, ""))
