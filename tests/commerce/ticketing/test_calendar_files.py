"""The calendar files of emails about tickets: whoever was invited to a date and can no longer come gets its cancellation."""

import re
from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Refund
from commerce.payments.services import send_refund
from commerce.ticketing.models import AttendeeTicket
from commerce.ticketing.services.ending import cancel_order, refund_order, void_tickets
from commerce.ticketing.services.sending import resend_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from events.services.rsvps import cancel
from tests.events.guests import make_reply

from .builders import adult, make_event, make_order, make_sales, paid_order

SAM = {"name": "Sam Okafor", "email": "sam@example.com"}


def files(email: str) -> list[tuple[str, str, str, int]]:
    """The template, METHOD, UID and SEQUENCE of each email to an address, in order; without a file only the template."""
    found = []
    for mail in OutgoingMail.objects.filter(recipient=email).order_by("pk"):
        (text,) = [bytes(each.content).decode() for each in mail.attachments.all() if each.name == "invite.ics"] or [""]
        method, uid, sequence = (re.search(f"^{name}:(.*?)\r", text, re.MULTILINE) for name in ("METHOD", "UID", "SEQUENCE"))
        found.append((mail.template, method[1] if method else "", uid[1] if uid else "", int(sequence[1]) if sequence else -1))
    return found


def methods(email: str) -> list[tuple[str, str]]:
    return [(template, method) for template, method, *_ in files(email)]


def send_refunds() -> None:
    for refund in Refund.objects.filter(status="pending"):
        send_refund(refund_id=refund.pk)


def test_it_works_for_a_transfer() -> None:
    ticket = paid_order(make_sales()).tickets.get()
    after = transfer_ticket(ticket=ticket, **SAM)
    assert methods("dana@example.com") == [("tickets_bought", "REQUEST"), ("ticket_given_away", "CANCEL")]
    assert methods("sam@example.com") == [("ticket_transferred", "REQUEST")]
    first, second = files("dana@example.com")
    assert (first[2], first[3] + 1) == (second[2], second[3])
    transfer_ticket(ticket=after, name="Dana Reyes", email="dana@example.com")
    assert methods("sam@example.com")[-1] == ("ticket_given_away", "CANCEL")
    assert files("dana@example.com")[-1][1:] == ("REQUEST", first[2], second[3] + 1)


@pytest.mark.parametrize("first", ["rsvp", "ticket"])
def test_a_guest_with_an_rsvp_and_a_ticket(first: str) -> None:
    """An event had RSVPs before it sold tickets: giving up one of both leaves the date in the calendar."""
    event = make_event()
    rsvp = make_reply(event, email="dana@example.com")
    order = make_order(make_sales(adult(pricing="free"), event=event))
    steps = {"rsvp": lambda: cancel(rsvp=rsvp), "ticket": lambda: cancel_order(order=order)}
    steps.pop(first)()
    assert methods("dana@example.com")[2:] in ([("event_rsvp_cancelled", "")], [("ticket_order_cancelled", "")])
    steps.popitem()[1]()
    assert methods("dana@example.com")[-1][1] == "CANCEL"
    assert len({uid for _, _, uid, _ in files("dana@example.com") if uid}) == 1


def test_one_of_several_tickets_leaves_the_date_in_the_calendar() -> None:
    order = paid_order(make_sales(), Adult=2)
    first, second = order.tickets.order_by("pk")
    transfer_ticket(ticket=first, **SAM)
    assert methods("dana@example.com")[-1] == ("ticket_given_away", "")
    transfer_ticket(ticket=second, **SAM)
    assert methods("dana@example.com")[-1] == ("ticket_given_away", "CANCEL")


@pytest.mark.both_databases
def test_a_free_order_is_cancelled() -> None:
    event = make_sales(adult(pricing="free"))
    order = make_order(event)
    transfer_ticket(ticket=make_order(event, buyer_values={"email": "noor@example.com"}).tickets.get(), **SAM)
    given = AttendeeTicket.objects.select_related("order").get(holder_email="sam@example.com")
    assert cancel_order(order=order)
    assert cancel_order(order=given.order)
    assert methods("dana@example.com")[-1] == ("ticket_order_cancelled", "CANCEL")
    assert methods("sam@example.com")[-1] == ("ticket_void", "CANCEL")
    assert methods("noor@example.com")[-1] == ("ticket_order_cancelled", "")


@pytest.mark.both_databases
def test_a_buyer_who_got_a_ticket_back_is_notified_of_the_cancelled_order_once() -> None:
    order = make_order(make_sales(adult(pricing="free")))
    given = transfer_ticket(ticket=order.tickets.get(), **SAM)
    transfer_ticket(ticket=given, name="Dana Reyes", email="dana@example.com")
    before = len(methods("dana@example.com"))
    assert cancel_order(order=order)
    assert methods("dana@example.com")[before:] == [("ticket_order_cancelled", "CANCEL")]


@pytest.mark.both_databases
def test_an_order_that_was_never_paid_had_no_invitation() -> None:
    order = make_order(make_sales())
    assert cancel_order(order=order)
    assert methods("dana@example.com") == [("ticket_order_cancelled", "")]


@pytest.mark.django_db(transaction=True)
def test_a_refund_of_some_tickets_and_of_the_rest() -> None:
    order = paid_order(make_sales(), Adult=2)
    first, second = order.tickets.select_related("order").order_by("pk")
    refund_order(order=order, tickets=[first.pk])
    send_refunds()
    assert methods("dana@example.com")[-1] == ("tickets_refunded", "")
    transfer_ticket(ticket=second, **SAM)
    refund_order(order=order)
    send_refunds()
    assert methods("sam@example.com")[-1] == ("ticket_void", "CANCEL")
    assert methods("dana@example.com")[-2:] == [("ticket_given_away", "CANCEL"), ("tickets_refunded", "")]


@pytest.mark.django_db(transaction=True)
def test_a_refund_of_the_last_ticket_takes_the_entry_out() -> None:
    order = paid_order(make_sales(), Adult=2)
    first = order.tickets.order_by("pk")[0]
    refund_order(order=order, tickets=[first.pk])
    send_refunds()
    assert methods("dana@example.com")[-1] == ("tickets_refunded", "")
    refund_order(order=order)
    send_refunds()
    assert methods("dana@example.com")[-1] == ("tickets_refunded", "CANCEL")


@pytest.mark.both_databases
def test_two_orders_of_a_person_are_one_entry() -> None:
    event = make_sales()
    orders = [paid_order(event), paid_order(event)]
    for order, method in zip(orders, ("", "CANCEL"), strict=True):
        assert void_tickets(order=order, tickets=[order.tickets.get().pk]) == 1
        assert methods("dana@example.com")[-1] == ("ticket_void", method)
    found = [each for each in files("dana@example.com") if each[1]]
    assert len({uid for _, _, uid, _ in found}) == 1
    assert [sequence for *_, sequence in found] == [0, 1, 2]


def test_tickets_that_are_sent_again() -> None:
    order: Any = paid_order(make_sales())
    resend_tickets(order=order)
    assert [(method, sequence) for _, method, _, sequence in files("dana@example.com")] == [("REQUEST", 0), ("REQUEST", 1)]
