"""Orders that are not paid while their date is moved, cancelled, or back: their payment pages and their buyers."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, start_payment
from commerce.payments.services.outcomes import apply_outcome
from commerce.payments.types import Outcome, PaymentStatus
from commerce.ticketing.models import Reservation, TicketOrder
from commerce.ticketing.selectors.events import date_at
from commerce.ticketing.selectors.orders import ORDER_LINK
from commerce.ticketing.services.buying import place_order
from commerce.ticketing.services.changes import count_guests
from commerce.ticketing.services.paying import DATE_OFF
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests.visitor import hidden

from .builders import WEEKLY, adult, buyer, make_order, make_reservation, make_sales, paid_order, starts, wait, words
from .page_builders import checkout_path, errors, text_of
from .refusals import refused
from .test_changed_dates import set_date
from .test_changes_for_waiting import mails, set_status

MOVED = "2031-05-06T20:00"


def open_page(order: TicketOrder) -> Payment:
    return start_payment(payable="ticket_order", record_id=order.pk)


def on_its_way(order: TicketOrder) -> Payment:
    """Pay by a bank transfer that takes days."""
    return apply_outcome(open_page(order).pk, Outcome(PaymentStatus.PROCESSING))


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_cancelled_date_closes() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, *_ = starts(event)
    page, other, paying = (open_page(make_order(event, second)), open_page(make_order(event, first)), make_order(event, second))
    transfer = on_its_way(paying)
    change_date(item=event, start=second, status=DateStatus.CANCELLED)
    for payment in (page, other, transfer):
        payment.refresh_from_db()
    assert (page.status, other.status, transfer.status) == ("expired", "open", "processing")
    assert not decide_test_payment(payment=page, status=PaymentStatus.SUCCEEDED)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", [{"start": MOVED, "end": None}, {"tz": "Asia/Tokyo"}], ids=["moved", "another zone"])
def test_the_page_of_a_moved_date_closes(change: dict[str, str]) -> None:
    event = make_sales()
    order = make_order(event)
    page = open_page(order)
    set_date(event, **change)
    page.refresh_from_db()
    assert page.status == "expired"
    # The buyer can pay for the new date.
    assert open_page(order).status == "open"


@pytest.mark.django_db(transaction=True)
def test_the_page_stays_open_if_something_else_changes() -> None:
    event = make_sales()
    page = open_page(make_order(event))
    set_date(event)
    page.refresh_from_db()
    assert page.status == "open"


@pytest.mark.parametrize("is_paying", [False, True], ids=["not paid", "on its way"])
@pytest.mark.both_databases
def test_the_buyer_of_an_unpaid_order_is_notified(is_paying: bool) -> None:
    event = make_sales()
    order = make_order(event, buyer_values={"email": "sam@example.com"}, Adult=2)
    if is_paying:
        on_its_way(order)
    assert count_guests(event) == {order.start: 2}
    set_date(event, start=MOVED, end=None)
    assert mails("sam@example.com") == ["ticket_unpaid_moved"]
    order.refresh_from_db()
    text = OutgoingMail.objects.get().text
    for shown in ("May 6, 2031", order.number, "2 tickets", ORDER_LINK.url(order)):
        assert shown in text
    set_status(event, order.start, DateStatus.CANCELLED)
    assert mails("sam@example.com")[1:] == ["ticket_unpaid_cancelled"]
    set_status(event, order.start, None)
    assert mails("sam@example.com")[2:] == ["ticket_unpaid_restored"]


@pytest.mark.both_databases
def test_notices_to_those_who_have_paid_nothing_are_limited() -> None:
    """Anyone may order seats, or wait for some, in somebody else's name. Each order and each entry has an email of its own."""
    event = make_sales(adult(size=3))
    paid_order(event)
    for _ in range(2):
        make_order(event, buyer_values={"email": "sam@example.com"})
    wait(event)
    OutgoingMail.objects.all().delete()
    set_date(event, start=MOVED, end=None)
    assert mails("sam@example.com") == ["ticket_unpaid_moved"] * 2
    limited = OutgoingMail.objects.order_by("template", "pk").values_list("template", "is_limited")
    assert list(limited) == [("ticket_date_moved", False), *[("ticket_unpaid_moved", True)] * 2, ("ticket_waiting_moved", True)]


def test_money_for_a_cancelled_date_that_was_on_its_way() -> None:
    event = make_sales(repeat=WEEKLY)
    start = starts(event)[1]
    order = make_order(event, start, buyer_values={"email": "sam@example.com"})
    transfer = on_its_way(order)
    set_status(event, start, DateStatus.CANCELLED)
    assert apply_outcome(transfer.pk, Outcome(PaymentStatus.SUCCEEDED)).unapplied
    assert mails("sam@example.com") == ["ticket_unpaid_cancelled"]


def test_everybody_gets_one_email() -> None:
    """A ticket comes before an order that is not paid, and this before the waiting list."""
    event = make_sales(adult(size=2))
    start = paid_order(event).start
    make_order(event)
    wait(event, email="dana@example.com")
    set_date(event, start=MOVED, end=None)
    assert mails("dana@example.com") == ["tickets_bought", "ticket_waiting", "ticket_date_moved"]
    assert start


def test_only_buyers_of_the_date_are_notified() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, *_ = starts(event)
    make_order(event, first)
    set_status(event, second, DateStatus.CANCELLED)
    assert mails("dana@example.com") == []


def send(client: Client, reservation: Reservation, opened: dict[str, str]) -> Any:
    return client.post(checkout_path(reservation), {**opened, "name": "Dana Reyes", "email": "dana@example.com"})


def test_the_date_moves_while_the_checkout_is_open(client: Client) -> None:
    event = make_sales()
    reservation = make_reservation(event)
    opened = hidden(client, checkout_path(reservation))
    set_date(event, start=MOVED, end=None)
    answer = send(client, reservation, opened)
    assert "The date has changed to Tuesday, May 6, 2031" in errors(answer)[0][0]
    assert not TicketOrder.objects.exists()
    # The page shows the new date now, to which the buyer can agree.
    assert "May 6, 2031" in text_of(client.get(checkout_path(reservation)))
    assert send(client, reservation, hidden(client, checkout_path(reservation))).status_code == 302
    assert TicketOrder.objects.get().start == f"{MOVED}:00"


@pytest.mark.parametrize("change", [{"tz": "Asia/Tokyo"}, {"end": "2031-05-06T23:00"}], ids=["another zone", "another end"])
def test_the_date_changes_but_its_start_by_the_clock(client: Client, change: dict[str, str]) -> None:
    event = make_sales(data={"event_date": {"start": MOVED, "tz": "Europe/Paris"}})
    reservation, order = make_reservation(event), make_order(event)
    opened, seen = hidden(client, checkout_path(reservation)), hidden(client, ORDER_LINK.path(order))
    set_date(event, **change)
    assert "The date has changed to Tuesday, May 6, 2031" in errors(send(client, reservation, opened))[0][0]
    assert "The date has changed" in text_of(client.post(f"{ORDER_LINK.path(order)}/pay", seen, follow=True))
    assert send(client, reservation, hidden(client, checkout_path(reservation))).status_code == 302


@pytest.mark.both_databases
def test_an_order_names_another_date_than_its_reservation() -> None:
    event = make_sales()
    reservation = make_reservation(event)
    assert "when" in refused(place_order, reservation=reservation, values=buyer(when="Tuesday, May 6, 2031, 8:00 PM"))
    now = words(event, reservation.start)
    assert place_order(reservation=reservation, values=buyer(when=now.replace("\xa0", " "))).is_pending


def test_the_date_moves_while_the_page_of_the_order_is_open(client: Client) -> None:
    event = make_sales()
    order = make_order(event)
    opened = hidden(client, ORDER_LINK.path(order))
    set_date(event, start=MOVED, end=None)
    answer = client.post(f"{ORDER_LINK.path(order)}/pay", opened, follow=True)
    assert "The date has changed to Tuesday, May 6, 2031" in text_of(answer)
    assert not Payment.objects.exists()
    again = client.post(f"{ORDER_LINK.path(order)}/pay", hidden(client, ORDER_LINK.path(order)))
    assert again.status_code == 302
    assert Payment.objects.get().status == "open"


def test_the_page_of_an_order_for_a_cancelled_date_offers_no_payment(client: Client) -> None:
    event = make_sales(repeat=WEEKLY)
    start = starts(event)[1]
    order = make_order(event, start)
    assert "Pay $32.00" in text_of(client.get(ORDER_LINK.path(order)))
    set_status(event, start, DateStatus.CANCELLED)
    page = text_of(client.get(ORDER_LINK.path(order)))
    assert "This date is cancelled, and the order can't be paid any more." in page
    assert "Pay $32.00" not in page


@pytest.mark.parametrize(("minutes", "is_applied"), [(20, True), (60 * 24 * 30, False)], ids=["just over", "long over"])
def test_money_for_a_date_that_is_over(later: Any, minutes: int, is_applied: bool) -> None:
    """A page that was opened before the end may still be in use."""
    event = make_sales()
    order = make_order(event)
    transfer = on_its_way(order)
    date = date_at(event, order.start)
    assert date is not None
    assert date.ends_at is not None
    later(seconds=int((date.ends_at - timezone.now()).total_seconds()) + 60 * minutes)
    settled = apply_outcome(transfer.pk, Outcome(PaymentStatus.SUCCEEDED))
    order.refresh_from_db()
    assert (settled.unapplied == "", order.status == "paid", bool(mails("dana@example.com"))) == (is_applied,) * 3
    if not is_applied:
        assert settled.unapplied == DATE_OFF
        assert not order.is_processing


def test_the_page_of_dates_counts_people_with_tickets(admin_client: Client) -> None:
    event = make_sales()
    make_order(event, Adult=2)
    assert "2 guests are emailed." in admin_client.get(f"/admin/events/dates/{event.pk}/").content.decode()
