"""Makes the tickets of an order."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.writing import insert

from ..models import AttendeeTicket, RevokedCode, TicketOrder
from ..types.orders import new_code


def free_codes(count: int) -> list[str]:
    """Return codes that no ticket has or had."""
    found: set[str] = set()
    while len(found) < count:
        drawn = {new_code() for _ in range(count - len(found))}
        used = AttendeeTicket.objects.filter(code__in=drawn).values_list("code", flat=True)
        revoked = RevokedCode.objects.filter(pk__in=drawn).values_list("pk", flat=True)
        found |= drawn - set(used) - set(revoked)
    return list(found)


def issue_tickets(order: TicketOrder) -> list[AttendeeTicket]:
    """Create the tickets of an order that the caller has locked."""
    items = [item for item in order.items.all() for _ in range(item.quantity)]
    codes, now = free_codes(len(items)), timezone.now()
    attendees: Iterable[dict[str, Any]] = order.attendees or [{}] * len(items)
    made = [
        AttendeeTicket(
            order=order,
            item=item,
            event_id=order.event_id,
            start=order.start,
            ticket_type_id=item.ticket_type_id,
            type_name=item.name,
            code=code,
            attendee_name=attendee.get("name", ""),
            answers=attendee.get("answers", []),
            created_at=now,
            updated_at=now,
        )
        for item, code, attendee in zip(items, codes, attendees, strict=True)
    ]
    insert(made)
    get_search_backend().add_bulk(AttendeeTicket, made)
    return made
