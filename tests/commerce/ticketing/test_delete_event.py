"""An event with tickets is not deleted: its dates are cancelled, and the money goes back, first."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item
from commerce.ticketing.models import TicketOrder, TicketSales
from commerce.ticketing.services import changes
from commerce.ticketing.services.announcing import send_announcements
from commerce.ticketing.services.ending import cancel_order, refund_order, void_tickets
from commerce.ticketing.services.sales import delete_sales
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests.client import Api

from .builders import WEEKLY, adult, make_order, make_sales, paid_order, starts
from .refusals import refused

pytestmark = pytest.mark.both_databases


def cancel(event: ContentItem, start: str) -> None:
    event.refresh_from_db()
    change_date(item=event, start=start, status=DateStatus.CANCELLED)


def test_it_works(django_capture_on_commit_callbacks: Any, api: Api) -> None:
    event = make_sales(repeat=WEEKLY)
    start = starts(event)[1]
    order = paid_order(event, start)
    assert refused(delete_item, item=event) == {"item": [changes.SOLD]}
    answer = api.delete(f"/content-items/{event.pk}")
    assert (answer.status_code, answer.json()["errors"]) == (422, {"item": [changes.SOLD]})
    cancel(event, start)
    assert refused(delete_item, item=event) == {"item": [changes.NOT_NOTIFIED]}
    send_announcements()
    assert refused(delete_item, item=event) == {"item": [changes.NOT_REFUNDED]}
    with django_capture_on_commit_callbacks(execute=True):
        refund_order(order=order)
    pk = event.pk
    delete_item(item=event)
    order.refresh_from_db()
    assert (order.event_id, order.status) == (pk, "refunded")
    assert not ContentItem.objects.filter(pk=pk).exists()


def test_an_order_that_is_being_paid_for_counts() -> None:
    event = make_sales()
    order = make_order(event)
    assert refused(delete_item, item=event) == {"item": [changes.SOLD]}
    assert set(refused(delete_sales, event=event)) == {"event"}
    cancel(event, order.start)
    assert refused(delete_item, item=event) == {"item": [changes.NOT_NOTIFIED]}
    send_announcements()
    assert refused(delete_item, item=event) == {"item": [changes.NOT_REFUNDED]}
    cancel_order(order=order)
    delete_item(item=event)
    assert TicketOrder.objects.get().status == "cancelled"


def test_free_tickets_of_a_cancelled_date_do_not_count() -> None:
    event = make_sales(adult(pricing="free"))
    order = make_order(event)
    assert refused(delete_item, item=event) == {"item": [changes.SOLD]}
    cancel(event, order.start)
    send_announcements()
    delete_item(item=event)


def test_void_tickets_and_past_dates_do_not_count(later: Callable[..., None]) -> None:
    first, second, third = make_sales(), make_sales(), make_sales()
    order = paid_order(first)
    void_tickets(order=order, tickets=[each.pk for each in order.tickets.all()])
    delete_item(item=first)
    paid_order(second)
    later(days=60)
    delete_item(item=second)
    delete_item(item=third)
    assert not TicketSales.objects.exists()
