"""The admin home's card for tickets."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, count_up_to_max

from ..selectors.tickets import tickets as find_tickets
from ..types.tickets import AWAITING_STAFF


def tickets(request: HttpRequest) -> Card:
    """Tickets that wait for staff (one statement)."""
    return Card(
        "Tickets awaiting an answer",
        set_query_params(reverse("support_tickets:index"), {"status": AWAITING_STAFF}),
        text="Their requesters wait for you.",
        icon="help",
        count=count_up_to_max(find_tickets(status=AWAITING_STAFF)),
    )
