"""The pages of an order and of its tickets, transfers, and the tickets of an account."""

import io
from typing import Any

import pytest
from django.test import Client
from pypdf import PdfReader

from cms_api.accounts.services import create_member
from cms_api.mail.models import OutgoingMail
from commerce.payments.services import send_refund
from commerce.ticketing.models import AttendeeTicket, TicketOrder
from commerce.ticketing.resources.documents import space_out
from commerce.ticketing.selectors.orders import ORDER_LINK, TICKET_LINK
from commerce.ticketing.services.checking_in import check_in
from commerce.ticketing.services.ending import cancel_order, refund_order, void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.transferring import transfer_ticket
from tests.people import PASSWORD
from tests.refusals import is_refused_for

from .builders import adult, make_order, make_sales, paid_order
from .page_builders import pay_there, text_of


def shown(client: Client, order: TicketOrder) -> str:
    answer = client.get(ORDER_LINK.path(order))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store, private"
    return text_of(answer)


def ticket_of(order: TicketOrder) -> AttendeeTicket:
    return order.tickets.select_related("order").order_by("pk")[0]


def pdf_text(answer: Any) -> str:
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert "no-store" in answer.headers["Cache-Control"]
    return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(answer.content)).pages)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event = make_sales(values={"asks_names": True}, title="Midsummer quartet")
    people = [{"name": "Dana Reyes"}, {"name": "Sam Okafor"}]
    order = paid_order(event, buyer_values={"attendees": people}, Adult=2)
    page = client.get(ORDER_LINK.path(order))
    text = text_of(page)
    for words in (
        order.number,
        "Paid",
        "Midsummer quartet",
        "The mill",
        "Dana Reyes",
        "Sam Okafor",
        "2 x Adult $64.00",
        "Google",
    ):
        assert words in text
    for ticket in order.tickets.all():
        assert space_out(ticket.code) in text
        assert TICKET_LINK.path(ticket) in page.content.decode()
    assert page.content.decode().count('class="stub__qr"') == 2
    document = pdf_text(client.get(f"{ORDER_LINK.path(order)}/tickets.pdf"))
    for ticket in order.tickets.all():
        assert space_out(ticket.code) in document
        assert ticket.attendee_name in document
    assert "Pay " not in text


def test_a_pending_order_is_paid(client: Client) -> None:
    order = make_order(make_sales())
    page = shown(client, order)
    assert "Your order is waiting for payment." in page
    assert "Reserved until " in page
    assert "Pay $32.00" in page
    assert client.get(f"{ORDER_LINK.path(order)}/tickets.pdf").status_code == 404
    pay = f"{ORDER_LINK.path(order)}/pay"
    assert client.get(pay).status_code == 405
    assert pay_there(client, client.post(pay)) == ORDER_LINK.path(order)
    assert "We've emailed the tickets" in shown(client, order)
    assert "This order doesn't wait for a payment." in text_of(client.post(pay, follow=True))


def test_states_in_words(client: Client, later: Any) -> None:
    event = make_sales()
    cancelled = make_order(event)
    cancel_order(order=cancelled)
    assert "This order has been cancelled." in shown(client, cancelled)
    refunded = paid_order(event, Adult=2)
    ticket = ticket_of(refunded)
    void_tickets(order=refunded, tickets=[ticket.pk])
    page = shown(client, refunded)
    assert "Void" in page
    assert space_out(ticket.code) in page
    assert "Download tickets (PDF)" in page
    (refund,) = refund_order(order=refunded)
    assert "The tickets of this order are void." in shown(client, refunded)
    send_refund(refund_id=refund.pk)
    page = shown(client, refunded)
    assert "This order has been refunded." in page
    assert "Download tickets (PDF)" not in page
    lapsed = make_order(event)
    processing = make_order(event)
    TicketOrder.objects.filter(pk=processing.pk).update(is_processing=True)
    later(days=1)
    release_seats()
    assert "cancelled because it wasn't paid in time" in shown(client, lapsed)
    page = shown(client, processing)
    assert "Your payment is on its way." in page
    assert "Pay $" not in page


def test_a_deleted_event_leaves_the_order(client: Client) -> None:
    event = make_sales(title="Midsummer quartet")
    order = paid_order(event)
    ticket = ticket_of(order)
    event.delete()
    assert "Midsummer quartet" in shown(client, order)
    assert "Midsummer quartet" in text_of(client.get(TICKET_LINK.path(ticket)))
    assert space_out(ticket.code) in pdf_text(client.get(f"{TICKET_LINK.path(ticket)}/ticket.pdf"))


def test_the_page_of_a_ticket(client: Client) -> None:
    order = paid_order(make_sales(title="Midsummer quartet"))
    ticket = ticket_of(order)
    page = text_of(client.get(TICKET_LINK.path(ticket)))
    for words in ("Midsummer quartet", space_out(ticket.code), "Dana Reyes", "Transfer ticket", "Show this code at the door"):
        assert words in page
    # It is not the way to the other tickets.
    assert ORDER_LINK.path(order) not in client.get(TICKET_LINK.path(ticket)).content.decode()
    assert space_out(ticket.code) in pdf_text(client.get(f"{TICKET_LINK.path(ticket)}/ticket.pdf"))
    check_in(ticket=ticket)
    page = text_of(client.get(TICKET_LINK.path(ticket)))
    assert "This ticket was checked in on " in page
    assert "Transfer ticket" not in page
    assert client.get(f"{TICKET_LINK.path(ticket)}/transfer").status_code == 302
    void_tickets(order=order, tickets=[ticket.pk])
    assert "This ticket is void." in text_of(client.get(TICKET_LINK.path(ticket)))
    assert client.get(f"{TICKET_LINK.path(ticket)}/ticket.pdf").status_code == 404


def test_a_ticket_is_transferred(client: Client) -> None:
    order = paid_order(make_sales(), Adult=2)
    ticket = ticket_of(order)
    former = TICKET_LINK.path(ticket)
    path = f"{former}/transfer"
    assert "the code that you have stops working" in text_of(client.get(path))
    sent = {"name": "Sam Okafor", "email": "sam@example.com"}
    page = text_of(client.post(path, sent))
    assert "Sam Okafor (sam@example.com) gets a ticket with a new code." in page
    assert "you can't take the transfer back" in page
    assert AttendeeTicket.objects.get(pk=ticket.pk).code == ticket.code
    page = text_of(client.post(path, {**sent, "confirm": "1"}))
    assert "We've emailed a ticket with a new code to Sam Okafor (sam@example.com)." in page
    given = ticket_of(order)
    assert (given.holder_email, given.code == ticket.code) == ("sam@example.com", False)
    assert OutgoingMail.objects.get(template="ticket_transferred").recipient == "sam@example.com"
    for gone in (former, path, f"{former}/ticket.pdf"):
        assert client.get(gone).status_code == 404
    assert client.post(path, {**sent, "confirm": "1"}).status_code == 404
    # The buyer's page and document no longer have its code.
    buyers = client.get(ORDER_LINK.path(order))
    assert "Transferred" in text_of(buyers)
    for each in (ticket, given):
        assert space_out(each.code) not in text_of(buyers)
        assert each.code not in buyers.content.decode()
        assert space_out(each.code) not in pdf_text(client.get(f"{ORDER_LINK.path(order)}/tickets.pdf"))
    assert space_out(given.code) in text_of(client.get(TICKET_LINK.path(given)))


def test_a_wrong_holder_is_refused(client: Client) -> None:
    ticket = ticket_of(paid_order(make_sales()))
    path = f"{TICKET_LINK.path(ticket)}/transfer"
    for wrong in (
        {"name": ""},
        {"name": "\0"},
        {"name": "x" * 300},
        {"email": ""},
        {"email": "sam"},
        {"email": "\0@example.com"},
        {"email": "a@b\n.example"},
    ):
        answer = client.post(path, {"name": "Sam", "email": "sam@example.com", **wrong, "confirm": "1"})
        assert answer.status_code == 422, wrong
    assert AttendeeTicket.objects.get().code == ticket.code


def test_one_address_transfers_so_many_times_an_hour(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.ticketing.views.tickets.TRANSFERS_PER_HOUR", 0)
    ticket = ticket_of(paid_order(make_sales()))
    sent = {"name": "Sam", "email": "sam@example.com", "confirm": "1"}
    answer = client.post(f"{TICKET_LINK.path(ticket)}/transfer", sent)
    assert is_refused_for(answer, 3600)


def test_a_transfer_needs_a_token_against_forged_requests() -> None:
    ticket = ticket_of(paid_order(make_sales()))
    client = Client(enforce_csrf_checks=True)
    sent = {"name": "Sam", "email": "sam@example.com", "confirm": "1"}
    assert client.post(f"{TICKET_LINK.path(ticket)}/transfer", sent).status_code == 403


def test_the_tickets_of_an_account(client: Client) -> None:
    assert client.get("/accounts/tickets/").status_code == 302
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    client.force_login(mia)
    assert "You don't have any tickets yet." in text_of(client.get("/accounts/tickets/"))
    event = make_sales(adult(), title="Midsummer quartet")
    own = paid_order(event, buyer_values={"email": "mia@example.com"})
    others = paid_order(event, Adult=3)
    given, void, _ = order_tickets = list(others.tickets.select_related("order"))
    assert len(order_tickets) == 3
    given = transfer_ticket(ticket=given, name="Mia Sand", email="mia@example.com")
    void = transfer_ticket(ticket=void, name="Mia Sand", email="mia@example.com")
    void_tickets(order=others, tickets=[void.pk])
    confirmed = client.get("/accounts/tickets/")
    page = confirmed.content.decode()
    assert f"Midsummer quartet ({own.number})" in page
    assert others.number not in page
    assert TICKET_LINK.path(given) in page
    assert TICKET_LINK.path(void) not in page
    assert "Transferred to you" in page
    assert "no-store" in confirmed.headers["Cache-Control"]
