"""The tickets of an account."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from cms_api.accounts.selectors import confirmed_address
from commerce.common.selectors import format_money
from commerce.common.views import account_records

from ..models import TicketOrder
from ..resources.mails import start_words
from ..selectors.orders import ORDER_LINK, TICKET_LINK, orders_of, tickets_held_by
from ..types.orders import ADMITS

#: Tickets of other people's orders on the page, the latest ones.
SHOWN_TICKETS = 20


@login_required
@require_safe
def account_tickets(request: HttpRequest) -> HttpResponse:
    """The ticket orders of the signed-in visitor, newest first, and above them the tickets that others gave them."""

    def row(order: TicketOrder) -> tuple[Any, ...]:
        amount = format_money(order.total) if order.total_cents else "Free"
        return f"{order.title} ({order.number})", ORDER_LINK.path(order), order.created_at, amount, order.buyer_status

    address = confirmed_address(request.user)
    transferred = tickets_held_by(address).filter(status__in=ADMITS)[:SHOWN_TICKETS] if address else []
    received = [
        {"name": each.order.title, "path": TICKET_LINK.path(each), "when": start_words(each.start), "type": each.type_name}
        for each in transferred
    ]
    found = orders_of(request.user)
    return account_records(request, "ticketing/account_tickets.html", found, row, {"received": received})
