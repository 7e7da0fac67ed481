"""A nearer horizon takes dates away that nobody counts on. Those that people have RSVPs or tickets for still take place."""

import datetime as dt
from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import TicketOrder
from commerce.ticketing.services.announcing import send_announcements
from events.models import Rsvp
from events.services.dates import change_date
from events.services.mails import send_postponed_mails
from events.services.occurrences import top_up
from events.tasks import materialize_in_background
from events.types.plans import DateStatus
from tests.commerce.ticketing.builders import make_sales, paid_order

from .guests import make_event, make_reply, starts
from .test_moves import edit
from .test_preview_effects import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

ENDLESS = {"frequency": "weekly"}


def come_nearer(days: int = 60) -> None:
    set_setting(key="recurrence.horizon_days", value=days)
    materialize_in_background(0)


def templates() -> list[str]:
    send_announcements()
    send_postponed_mails()
    return list(OutgoingMail.objects.order_by("pk").values_list("template", flat=True))


def takes_place(event: ContentItem, start: str) -> bool:
    row = ContentItem.objects.get(owner=event, data__event_date__start=start)
    return "cancelled" not in row.data["event_date"]


@pytest.mark.both_databases
def test_a_date_with_a_guest_stays() -> None:
    event = make_event(repeat=ENDLESS)
    _, *_, last = starts(event)[:30]
    make_reply(event, last)
    come_nearer()
    update_item(item=event, values={"title": "Another title"})
    assert (takes_place(event, last), starts(event)[-1] == last, templates()) == (True, True, ["event_rsvp"])
    come_nearer(730)
    assert top_up() == 0
    assert (takes_place(event, last), len(starts(event)) > 90, templates()) == (True, True, ["event_rsvp"])


def test_a_date_with_tickets_stays() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    event = make_sales(repeat=ENDLESS)
    order = paid_order(event, starts(event)[30])
    come_nearer()
    assert (takes_place(event, order.start), templates()) == (True, ["tickets_bought"])
    start = order.start.replace("18:30", "19:30")
    edit(event, start=starts(event)[0].replace("18:30", "19:30"))
    assert TicketOrder.objects.get().start == start
    assert (takes_place(event, start), templates()) == (True, ["tickets_bought", "ticket_date_moved"])


@pytest.mark.parametrize("changes", [{"days": 3}, {"days": -3}, {"tz": "Pacific/Auckland"}], ids=str)
def test_it_moves_like_the_others(admin_client: Client, changes: dict[str, Any]) -> None:
    event = make_event(repeat=ENDLESS)
    first, *_, last = starts(event)[:30]
    make_reply(event, last)
    come_nearer()
    days = changes.pop("days", 0)
    value = {"start": moved(first, days), **changes}
    shown = text(admin_client, event, start_date=value["start"][:10], tz=changes.get("tz", "Europe/Paris"), ends="never")
    assert "2 guests of 1 date that moves are notified" in shown
    assert "cancelled" not in shown
    edit(event, **value)
    assert Rsvp.objects.get().occurrence_start == moved(last, days)
    assert (takes_place(event, moved(last, days)), templates()) == (True, ["event_rsvp", "event_moved"])


def moved(start: str, days: int) -> str:
    return (dt.datetime.fromisoformat(start) + dt.timedelta(days=days)).isoformat()


def test_it_can_be_cancelled() -> None:
    event = make_event(repeat=ENDLESS)
    _, *_, last = starts(event)[:30]
    make_reply(event, last)
    come_nearer()
    assert change_date(item=event, start=last, status=DateStatus.CANCELLED)
    assert templates() == ["event_rsvp", "event_cancelled"]
