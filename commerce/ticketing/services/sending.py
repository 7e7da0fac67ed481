"""Emails tickets once more."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.mail.types import check_mailable

from ..models import TicketOrder
from ..types.orders import ADMITS
from . import notices
from .paying import ORDERS


@transaction.atomic
def resend_tickets(*, order: TicketOrder, user: Any = None) -> None:
    """Email the buyer the tickets of an order that admit. Raises Invalid: `status` if there are none, `email`.

    Those that were transferred belong to other people, and are left out.
    """
    locked = ORDERS.lock(order.pk)
    tickets = list(locked.tickets.filter(status__in=ADMITS, holder_email="").order_by("pk")) if locked is not None else []
    if locked is None or not tickets:
        raise Invalid({"status": "The buyer has no valid tickets of this order."})
    check_mailable(locked.email)
    notices.send_tickets(locked, tickets)
    log(instance=locked, action="ticketing.resend_tickets", user=user)
