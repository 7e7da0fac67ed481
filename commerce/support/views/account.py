"""The tickets of an account."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from commerce.common.views import account_records

from ..models import Ticket
from ..resources.pages import status_text, ticket_path
from ..selectors.tickets import tickets_of


@login_required
@require_safe
def account_tickets(request: HttpRequest) -> HttpResponse:
    """The tickets of the signed-in visitor's account and confirmed address, newest first."""

    def row(ticket: Ticket) -> tuple[Any, ...]:
        return ticket.subject, ticket_path(ticket), ticket.created_at, ticket.number, status_text(ticket)

    return account_records(request, "support/account_tickets.html", tickets_of(request.user), row)
