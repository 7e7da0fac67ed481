"""The waiting list: joining it, buying what is offered, and leaving it."""

from typing import Any

import pytest
from django.test import Client

from cms_api.content.services.items import publish_item, unpublish_item
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import TicketOrder, WaitingEntry
from commerce.ticketing.selectors.orders import OFFER_LINK, WAITING_LINK
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import adult, first_start, make_sales, paid_order, type_of, wait
from .page_builders import errors, path_of, pay_there, text_of


def sold_out(**changes: Any) -> Any:
    """An event whose only seat is sold, and its order."""
    event = make_sales(adult(size=1, **changes), title="Midsummer quartet")
    return event, paid_order(event, code=changes.get("access_code", ""))


def form(event: Any, **query: Any) -> str:
    asked = {"type": type_of(event).pk, "occurrence": first_start(event), **query}
    return f"{path_of(event)}/tickets/waiting?" + "&".join(f"{name}={value}" for name, value in asked.items())


def join(client: Client, event: Any, **changes: Any) -> Any:
    path = form(event)
    given = {"name": "Noor de Vries", "email": "noor@example.com", "quantity": "1"}
    return client.post(path, {**hidden(client, path), **given, **changes})


def offered() -> Any:
    """An event, and an entry of its waiting list to which a seat is offered."""
    event, order = sold_out()
    entry = wait(event)
    void_tickets(order=order, tickets=list(order.tickets.values_list("pk", flat=True)))
    entry.refresh_from_db()
    assert entry.status == "offered"
    return event, entry


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event, _ = sold_out()
    link = form(event).replace("&", "&amp;")
    assert link in client.get(path_of(event)).content.decode()
    page = client.get(form(event))
    assert "Midsummer quartet, Adult" in text_of(page)
    assert "no-store" in page.headers["Cache-Control"]
    answer = join(client, event)
    assert answer.status_code == 303
    entry = WaitingEntry.objects.get()
    assert (entry.name, entry.email, entry.quantity, entry.start) == ("Noor de Vries", "noor@example.com", 1, first_start(event))
    assert "You're on the waiting list" in text_of(client.get(answer.headers["Location"]))
    assert OutgoingMail.objects.filter(template="ticket_waiting").exists()


def test_a_hidden_type_needs_its_code(client: Client) -> None:
    event, _ = sold_out(access_code="FRIENDS")
    assert client.get(form(event)).headers["Location"] == f"{path_of(event)}/tickets"
    assert client.get(form(event, code="friends")).status_code == 200


def test_its_code_cannot_be_found_by_trying(client: Client) -> None:
    event, _ = sold_out(access_code="FRIENDS")
    for number in range(20):
        client.get(form(event, code=f"guess{number}"))
    assert client.get(form(event, code="friends")).headers["Location"] == f"{path_of(event)}/tickets"
    assert is_refused_for(client.get(f"{path_of(event)}/tickets?code=friends"), 3600)


def test_hostile_input_is_refused_at_its_field(client: Client) -> None:
    event, _ = sold_out()
    for sent, place in (
        ({"name": ""}, "waiting-name"),
        ({"name": "\0"}, "waiting-name"),
        ({"name": "x" * 300}, "waiting-name"),
        ({"email": "noor"}, "waiting-email"),
        ({"email": "\0"}, "waiting-email"),
        ({"quantity": "0"}, "waiting-quantity"),
        ({"quantity": "11"}, "waiting-quantity"),
        ({"quantity": "9" * 40}, "waiting-quantity"),
        ({"quantity": ""}, "waiting-quantity"),
    ):
        assert [each for _, each in errors(join(client, event, **sent))] == [place], sent
    assert not WaitingEntry.objects.exists()


def test_robots_learn_nothing(client: Client) -> None:
    event, _ = sold_out()
    for sent in ({"hp_url": "https://spam.example"}, {"_stamp": "x"}):
        assert join(client, event, **sent).status_code == 303
    assert not WaitingEntry.objects.exists()


def test_what_does_not_exist_leads_to_the_tickets(client: Client) -> None:
    event, _ = sold_out()
    for query in ({"type": "x"}, {"type": "9" * 30}, {"occurrence": "x"}, {"occurrence": ""}, {"type": ""}):
        assert client.get(form(event, **query)).headers["Location"] == f"{path_of(event)}/tickets", query


def test_there_is_no_list_while_tickets_are_left(client: Client) -> None:
    event = make_sales(adult(size=1))
    assert "There is no waiting list" in text_of(client.get(form(event)))
    sent = {"name": "Noor", "email": "noor@example.com", "quantity": "1"}
    client.post(form(event), sent)
    assert not WaitingEntry.objects.exists()


def test_an_offer_is_bought(client: Client) -> None:
    _, entry = offered()
    path = OFFER_LINK.path(entry)
    page = client.get(path)
    for words in ("Reserved until ", "Midsummer quartet", "1 x Adult $32.00", "Pay $32.00"):
        assert words in text_of(page)
    assert 'value="noor@example.com"' in page.content.decode()
    assert "Choose other tickets" not in text_of(page)
    answer = client.post(path, {**hidden(client, path), "name": "Noor de Vries", "email": "noor@example.com"})
    pay_there(client, answer)
    assert TicketOrder.objects.get(email="noor@example.com").status == "paid"
    page = client.get(path)
    assert page.status_code == 404
    assert "This offer has ended" in text_of(page)
    assert "You've bought the tickets that we offered you." in text_of(client.get(WAITING_LINK.path(entry)))


def test_an_offer_ends(client: Client, later: Any) -> None:
    event, entry = offered()
    later(hours=25)
    page = client.get(OFFER_LINK.path(entry))
    assert "This offer has ended" in text_of(page)
    release_seats()
    page = client.get(OFFER_LINK.path(entry))
    assert "This offer has ended" in text_of(page)
    assert f'href="{path_of(event)}/tickets"' in page.content.decode()


def test_an_offer_of_an_event_that_is_not_published_is_closed(client: Client) -> None:
    event, entry = offered()
    event.refresh_from_db()
    unpublish_item(item=event)
    page = client.get(OFFER_LINK.path(entry))
    assert page.status_code == 404
    assert "Tickets for this event can't be bought at the moment." in text_of(page)
    assert path_of(event) not in page.content.decode()
    event.refresh_from_db()
    publish_item(item=event)
    assert "Pay $32.00" in text_of(client.get(OFFER_LINK.path(entry)))


def test_somebody_leaves(client: Client) -> None:
    event, _ = sold_out()
    entry = wait(event)
    path = WAITING_LINK.path(entry)
    page = client.get(path)
    assert "Leave the waiting list?" in text_of(page)
    assert page.headers["Cache-Control"] == "no-store, private"
    entry.refresh_from_db()
    assert entry.status == "waiting"
    assert "You've left the waiting list" in text_of(client.post(path))
    entry.refresh_from_db()
    assert entry.status == "left"
    assert "You've left the waiting list" in text_of(client.get(path))


def test_leaving_frees_what_was_offered(client: Client) -> None:
    event, entry = offered()
    client.post(WAITING_LINK.path(entry))
    assert "1 left" in text_of(client.get(path_of(event)))
    assert client.get(OFFER_LINK.path(entry)).status_code == 404
