"""The API's list of tickets, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.support.services import assign_ticket

from .builders import make_agent, make_category, make_ticket


def tickets(number: int) -> None:
    """Tickets with a category, half of them assigned."""
    switch_feature(name="support", on=True)
    category, agent = make_category(), make_agent()
    for place in range(number):
        ticket = make_ticket(category=category)
        if place % 2:
            assign_ticket(ticket=ticket, user_id=agent.pk)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows with their categories and assignees.
    "/support/tickets?per_page=100": (tickets, 3),
    "/support/tickets?per_page=100&status=awaiting_staff&priority=normal&email=dana@example.com&sort=last_message_at": (
        tickets,
        3,
    ),
    "/support/tickets?per_page=100&assigned_to=1&category_id=1&since=2026-01-01&include_spam=1": (tickets, 3),
    "/support/tickets?per_page=100&cursor=": (tickets, 2),
}
