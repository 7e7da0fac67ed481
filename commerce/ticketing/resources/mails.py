"""The parts of emails about tickets."""

from datetime import datetime

from cms_api.core.module import Block
from cms_api.core.time_zones import zone_label
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.resources import sums_block
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import TicketOrder
from ..selectors.events import date_at, event_by_id, venue_of
from . import sums


def count_of(tickets: int) -> str:
    return "1 ticket" if tickets == 1 else f"{tickets} tickets"


def when(order: TicketOrder) -> str:
    """Return the date of an order as it is now, or as it was sold if the event is gone."""
    event = event_by_id(order.event_id)
    date = date_at(event, order.start) if event is not None else None
    return date.words if date is not None else start_words(order.start)


def start_words(start: str) -> str:
    """Return the local start of a date: "June 13, 2026, 7:30 p.m.", or the day of one without a time."""
    local, formats = datetime.fromisoformat(start), site_formats()
    return formats.weekday_date(local.date()) if len(start) == 10 else formats.datetime(local)


def where(order: TicketOrder) -> str:
    """Return the venue of an order's event as it is now, or as it was sold if the event is gone."""
    event = event_by_id(order.event_id)
    return venue_of(event) if event is not None else str(order.event_data.get("venue") or "")


def moment(at: datetime) -> str:
    """Return an instant on the site's clock, with its zone."""
    zone = site_timezone()
    return f"{site_formats().datetime(at.astimezone(zone))} ({zone_label(zone.key)})"


def summary(order: TicketOrder) -> Block:
    """Return the tickets of an order and its totals."""
    items = [(str(item), format_money(Money(item.total_cents, order.currency))) for item in order.items.all()]
    return sums_block(items, sums.of_order(order))
