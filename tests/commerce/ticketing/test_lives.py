"""Random lives of events that sell tickets: as `tests/events/test_lives.py`, with tickets instead of RSVPs."""

from typing import Any

import pytest

from cms_api.content.models import ContentItem
from commerce.ticketing.models import AttendeeTicket, TicketOrder
from commerce.ticketing.selectors.events import date_at
from commerce.ticketing.services.announcing import send_announcements
from commerce.ticketing.services.ending import cancel_order
from tests.events.lives import Guest, World, live_many
from tests.figures import figure

from .builders import adult, make_event, make_order, make_sales

pytestmark = pytest.mark.django_db

LIVES = figure(4, 1000)


def sell(start: str, **values: Any) -> ContentItem:
    return make_sales(adult(pricing="free"), event=make_event(start, **values))


def join(event: ContentItem, guest: Guest) -> None:
    make_order(ContentItem.objects.get(pk=event.pk), guest.start, buyer_values={"email": guest.email})


def leave(event: ContentItem, guest: Guest) -> None:
    cancel_order(order=TicketOrder.objects.get(event_id=event.pk, email=guest.email))


def place(event: ContentItem, guest: Guest) -> tuple[str, bool]:
    ticket = AttendeeTicket.objects.select_related("order").get(event_id=event.pk, order__email=guest.email)
    assert ticket.start == ticket.order.start
    date = date_at(ContentItem.objects.get(pk=event.pk), ticket.start)
    assert date
    return date.start, date.is_cancelled


WORLD = World(sell, join, leave, place, send_announcements)


@pytest.mark.both_databases
def test_it_works() -> None:
    live_many(LIVES, WORLD)
