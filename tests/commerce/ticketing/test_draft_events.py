"""People with tickets for an event that is changed while it is not published."""

import pytest

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, publish_item, unpublish_item
from cms_api.core import jobs
from cms_api.core.errors import Invalid
from commerce.ticketing.models import Announcement, TicketOrder
from commerce.ticketing.services import announcing, changes
from commerce.ticketing.services.announcing import send_announcements
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.sending import resend_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from events.services.dates import change_date
from events.types.plans import DateStatus

from .builders import WEEKLY, make_sales, paid_order, starts
from .refusals import refused
from .test_calendar_files import SAM, files, methods
from .test_changed_dates import set_date

DANA = "dana@example.com"
BOUGHT = ("tickets_bought", "REQUEST")


def publish(event: ContentItem) -> None:
    event.refresh_from_db()
    assert publish_item(item=event)


def sent() -> list[tuple[str, str]]:
    send_announcements()
    return methods(DANA)


@pytest.mark.both_databases
def test_it_works() -> None:
    event = make_sales()
    paid_order(event)
    unpublish_item(item=event)
    for day in (6, 7):
        set_date(event, start=f"2031-05-0{day}T20:00", end=None)
        assert sent() == [BOUGHT]
    publish(event)
    assert sent() == [BOUGHT, ("ticket_date_moved", "REQUEST")]
    (_, _, uid, sequence), (_, _, uid_after, sequence_after) = files(DANA)
    assert uid == uid_after
    assert sequence < sequence_after


@pytest.mark.both_databases
def test_publishing_sends_the_announcements_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales()
    paid_order(event)
    unpublish_item(item=event)
    set_date(event, start="2031-05-06T20:00", end=None)
    queued: list[str] = []
    monkeypatch.setattr(jobs, "run_soon", queued.append)
    publish(event)
    assert queued == [announcing.JOB]


def test_a_cancellation_does_not_wait_and_a_date_that_is_back_does() -> None:
    event = make_sales(repeat=WEEKLY)
    start = starts(event)[1]
    paid_order(event, start)
    unpublish_item(item=event)
    event.refresh_from_db()
    change_date(item=event, start=start, status=DateStatus.CANCELLED)
    off = [BOUGHT, ("ticket_date_cancelled", "CANCEL")]
    assert sent() == off
    event.refresh_from_db()
    change_date(item=event, start=start, status=None)
    assert sent() == off
    # It is back, at another time.
    set_date(event, start="2031-05-06T20:00", end=None)
    assert sent() == off
    publish(event)
    assert sent() == [*off, ("ticket_date_restored", "REQUEST")]


def test_tickets_that_are_transferred_or_sent_meanwhile_have_a_calendar_file() -> None:
    event = make_sales()
    order = paid_order(event, Adult=2)
    unpublish_item(item=event)
    transfer_ticket(ticket=order.tickets.order_by("pk")[0], **SAM)
    assert methods("sam@example.com") == [("ticket_transferred", "REQUEST")]
    resend_tickets(order=order)
    assert sent() == [BOUGHT, ("ticket_given_away", ""), BOUGHT]


def test_an_announcement_that_waits_does_not_prevent_the_deletion() -> None:
    event = make_sales()
    order = paid_order(event)
    unpublish_item(item=event)
    set_date(event, start="2031-05-06T20:00", end=None)
    event.refresh_from_db()
    assert refused(delete_item, item=event) == {"item": [changes.SOLD]}
    void_tickets(order=order, tickets=[each.pk for each in order.tickets.all()])
    delete_item(item=event)
    send_announcements()
    assert not Announcement.objects.filter(is_sent=False).exists()
    assert "ticket_date_moved" not in dict(methods(DANA))


def test_tickets_are_not_sent_again_where_no_mail_arrives() -> None:
    order = paid_order(make_sales(), Adult=1)
    TicketOrder.objects.filter(pk=order.pk).update(email="old@localhost")
    with pytest.raises(Invalid, match="no email address that can be mailed"):
        resend_tickets(order=order)
