"""Texts and addresses of the public pages."""

from django.urls import reverse

from cms_api.flags.selectors import get_setting
from commerce.common.resources.pages import meta

from ..models import Ticket
from ..selectors.links import RATING_LINK, TICKET_LINK
from ..types.tickets import TicketStatus

TITLE = "Support"
#: Statuses in the words of the requester.
STATUSES = {
    TicketStatus.OPEN: "Waiting for our answer",
    TicketStatus.PENDING: "Waiting for your answer",
    TicketStatus.RESOLVED: "Solved",
    TicketStatus.CLOSED: "Closed",
}


def status_text(ticket: Ticket) -> str:
    return STATUSES[TicketStatus(ticket.status)]


def ticket_path(ticket: Ticket) -> str:
    return TICKET_LINK.path(ticket)


def rating_path(ticket: Ticket) -> str:
    return RATING_LINK.path(ticket)


def can_rate(ticket: Ticket) -> bool:
    """Return whether the requester can rate a ticket: once it was resolved, also after it is open again."""
    return ticket.csat_sent_at is not None or ticket.resolved_at is not None


def page_meta() -> meta.Meta:
    """Return the metadata of the form's page."""
    description = f"Ask the team of {get_setting('site.name')} for help."
    return meta.for_page(title=TITLE, path=reverse("support"), description=description)
