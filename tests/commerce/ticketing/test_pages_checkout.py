"""The checkout of reserved tickets: the form, its errors, promo codes, and reservations that have ended."""

from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Payment
from commerce.ticketing.models import Reservation, TicketOrder
from commerce.ticketing.selectors.orders import ORDER_LINK
from commerce.ticketing.services.housekeeping import release_seats
from tests.people import PASSWORD
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import adult, make_promo, make_reservation, make_sales, words
from .page_builders import checkout_path, errors, path_of, pay_there, plain, reserve, text_of

QUESTIONS = [
    {"key": "name", "label": "Name on the badge", "type": "text", "required": True},
    {"key": "meals", "label": "Meals", "type": "checkboxes", "options": ["Lunch", "Dinner"]},
]


def send(client: Client, reservation: Reservation, **changes: Any) -> Any:
    """Open the checkout and submit it."""
    path = checkout_path(reservation)
    return client.post(path, {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com", **changes})


def attendees(*names: str) -> dict[str, str]:
    return {f"attendee-{number}-name": name for number, name in enumerate(names)}


def test_it_works(client: Client) -> None:
    event = make_sales(
        adult(),
        adult(name="Child", price_cents=1000),
        values={"asks_names": True, "questions": QUESTIONS},
        title="Midsummer quartet",
    )
    reservation = make_reservation(event, Adult=2, Child=1)
    page = client.get(checkout_path(reservation))
    for text in (
        "Reserved until ",
        "Midsummer quartet",
        plain(words(event, reservation.start)),
        "The mill",
        "2 x Adult $64.00",
        "1 x Child $10.00",
        "Ticket 1: Adult",
        "Ticket 3: Child",
        "Name on the badge",
        "Pay $74.00",
    ):
        assert text in text_of(page)
    assert page.headers["Cache-Control"] == "no-store, private"
    assert "noindex" in page.headers["X-Robots-Tag"]
    answers = {f"answer-{number}-name": f"Badge {number}" for number in range(3)}
    answer = send(client, reservation, **attendees("Dana", "Sam", "Noa"), **answers, **{"answer-1-meals": ["Lunch", "Dinner"]})
    order = TicketOrder.objects.get()
    assert (order.status, order.name, order.email, order.total_cents) == ("pending", "Dana Reyes", "dana@example.com", 7400)
    # Somebody who comes back finds what was entered, and can change it.
    again = client.get(checkout_path(reservation)).content.decode()
    for text in ('value="Dana Reyes"', 'value="Sam"'):
        assert text in again
    shown = client.get(pay_there(client, answer))
    assert "We've emailed the tickets to dana@example.com." in text_of(shown)
    tickets = order.tickets.order_by("pk")
    assert [each.attendee_name for each in tickets] == ["Dana", "Sam", "Noa"]
    assert tickets[1].answers == [
        {"question": "Name on the badge", "answer": "Badge 1"},
        {"question": "Meals", "answer": "Lunch, Dinner"},
    ]
    # The reservation is an order now.
    assert client.get(checkout_path(reservation)).status_code == 404


def test_free_tickets_need_no_payment(client: Client) -> None:
    event = make_sales(adult(pricing="free"))
    set_setting(key="payments.allow_test_payments", value=False)
    reservation = make_reservation(event, Adult=2)
    page = text_of(client.get(checkout_path(reservation)))
    assert "Get free tickets" in page
    assert "Promo code" not in page
    answer = send(client, reservation)
    assert answer.status_code == 302
    assert "Thank you! We've emailed your tickets." in text_of(client.get(answer.headers["Location"]))
    assert TicketOrder.objects.get().status == "paid"
    assert OutgoingMail.objects.filter(template="tickets_bought").exists()


def test_errors_lead_to_their_fields(client: Client) -> None:
    event = make_sales(values={"asks_names": True, "questions": QUESTIONS})
    found = errors(send(client, make_reservation(event, Adult=2), name="", email="dana", **attendees("Dana", "")))
    assert found == [
        ("Enter your name.", "checkout-name"),
        ("Enter a valid email address.", "checkout-email"),
        ("Ticket 1: Fill in “Name on the badge”.", "answer-0-name"),
        ("Ticket 2: Fill in “Attendee's name”.", "attendee-1-name"),
        ("Ticket 2: Fill in “Name on the badge”.", "answer-1-name"),
    ]
    assert not TicketOrder.objects.exists()


def test_hostile_input_orders_nothing(client: Client) -> None:
    path = checkout_path(make_reservation(make_sales(values={"asks_names": True, "questions": QUESTIONS})))
    opened = {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com"}
    for sent in (
        {"name": "\0"},
        {"email": "a@b\n.example"},
        {"total_cents": "9" * 40},
        {"total_cents": "3199"},
        {"discount_code": "\0x"},
        {"attendee-0-name": "\0"},
        {"answer-0-meals": ["Breakfast"]},
    ):
        assert errors(client.post(path, {**opened, **attendees("Dana"), "answer-0-name": "Dana", **sent})), sent
    assert not TicketOrder.objects.exists()
    assert client.post(path, {**opened, **attendees("Dana"), "answer-0-name": "Dana"}).status_code == 302


def test_a_promo_code_is_applied(client: Client) -> None:
    make_promo("SPRING10")
    reservation = make_reservation(make_sales(), Adult=2)
    answer = send(client, reservation, discount_code="spring10", _apply="1")
    assert answer.status_code == 200
    assert "Discount (SPRING10) -$6.40" in text_of(answer)
    assert "Pay $57.60" in text_of(answer)
    assert not TicketOrder.objects.exists()
    # The total that was agreed to is not the one with the code.
    assert "The total has changed to $57.60." in errors(send(client, reservation, discount_code="spring10"))[0][0]
    assert errors(send(client, reservation, discount_code="nothing", _apply="1")) == [
        ("This discount code isn't valid.", "checkout-discount_code")
    ]
    send(client, reservation, discount_code="spring10", total_cents="5760")
    assert TicketOrder.objects.get().promo_code == "SPRING10"


def test_codes_cannot_be_found_by_trying(client: Client) -> None:
    """Wrong codes run out; the right one may be sent as often as the page is."""
    make_promo("SPRING10")
    event = make_sales()
    reservation = make_reservation(event)
    path = checkout_path(reservation)
    opened = {**hidden(client, path), "name": "Dana Reyes", "email": "dana@example.com", "_apply": "1"}
    answers = [client.post(path, {**opened, "discount_code": "spring10"}) for _ in range(3)]
    assert [each.status_code for each in answers] == [200] * 3
    wrong = [client.post(path, {**opened, "discount_code": f"guess{number}"}).status_code for number in range(21)]
    assert wrong == [422] * 20 + [429]
    refused = client.post(path, {**opened, "discount_code": "spring10"})
    assert is_refused_for(refused, 3600)
    assert "Discount" not in text_of(refused)


def test_a_promo_code_does_not_stand_in_the_way_of_free_tickets(client: Client) -> None:
    make_promo("SPRING10", min_order_cents=1000)
    event = make_sales(adult(pricing="free"))
    assert send(client, make_reservation(event, code="SPRING10")).status_code == 302
    assert TicketOrder.objects.get().status == "paid"


def test_an_access_code_is_no_promo_code(client: Client) -> None:
    event = make_sales(adult(access_code="FRIENDS"))
    reservation = make_reservation(event, code="friends")
    page = client.get(checkout_path(reservation))
    assert "isn't valid" not in text_of(page)
    assert 'value="friends"' not in page.content.decode().lower()
    assert send(client, reservation).status_code == 302


@pytest.mark.parametrize(("pricing", "code"), [("free", "FRIENDS"), ("fixed", "friends"), ("free", "SPRING10")])
def test_a_code_for_another_ticket_stands_in_nobodys_way(client: Client, code: str, pricing: str) -> None:
    """An access code was entered, and then an ordinary ticket chosen: the checkout opens without a mistake."""
    make_promo("SPRING10", minimum_cents=0)
    event = make_sales(adult(pricing=pricing), adult(name="Hidden", access_code="FRIENDS"))
    path = reserve(client, event, typed={"code": code}, Adult=1).headers["Location"]
    page = client.get(path)
    assert (page.status_code, page.context["errors"]) == (200, [])
    assert "Please fix" not in text_of(page)
    reservation = Reservation.objects.get()
    if code != "SPRING10":
        assert send(client, reservation, discount_code=code).status_code == 302


def test_every_mistake_that_is_counted_has_an_input(client: Client) -> None:
    make_promo("GRAND", minimum_cents=100000)
    event = make_sales()
    path = reserve(client, event, typed={"code": "GRAND"}, Adult=1).headers["Location"]
    page = client.get(path)
    [(sentence, place)] = page.context["errors"]
    assert f'id="{place}"' in page.content.decode()
    assert text_of(page).count(sentence) == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.once
def test_somebody_comes_back_from_the_payment_and_changes_the_order(client: Client) -> None:
    reservation = make_reservation(make_sales(), Adult=2)
    send(client, reservation)
    send(client, reservation, email="sam@example.com")
    order = TicketOrder.objects.get()
    assert (order.email, order.number) == ("sam@example.com", "TIX-1001")
    assert sorted(Payment.objects.values_list("status", flat=True)) == ["expired", "open"]
    TicketOrder.objects.update(is_processing=True)
    assert client.get(checkout_path(reservation)).headers["Location"] == ORDER_LINK.path(order)


def test_a_reservation_that_has_ended_leads_back(client: Client, later: Any) -> None:
    event = make_sales(adult(size=2))
    path = reserve(client, event, Adult=2).headers["Location"]
    opened = hidden(client, path)
    later(minutes=16)
    page = client.get(path)
    assert page.status_code == 404
    assert "Your reservation has ended" in text_of(page)
    assert f'href="{path_of(event)}/tickets"' in page.content.decode()
    release_seats()
    page = client.get(path)
    assert f'href="{path_of(event)}/tickets"' in page.content.decode()
    make_reservation(event, Adult=2)
    page = client.post(path, {**opened, "name": "Dana Reyes", "email": "dana@example.com"})
    assert "Your reservation has ended" in text_of(page)
    assert not TicketOrder.objects.exists()


def test_a_late_checkout_gets_seats_that_are_still_free(client: Client, later: Any) -> None:
    event = make_sales(adult(size=2))
    reservation = make_reservation(event, Adult=2)
    opened = hidden(client, checkout_path(reservation))
    later(minutes=16)
    sent = {**opened, "name": "Dana Reyes", "email": "dana@example.com"}
    assert client.post(checkout_path(reservation), sent).status_code == 302
    assert TicketOrder.objects.get().status == "pending"


def test_seats_that_others_have_are_gone(client: Client, later: Any) -> None:
    event = make_sales(adult(size=2))
    reservation = make_reservation(event, Adult=2)
    later(minutes=16)
    make_reservation(event, Adult=1)
    answer = client.post(checkout_path(reservation), {"name": "Dana Reyes", "email": "dana@example.com", "total_cents": "6400"})
    assert answer.status_code == 422
    assert "Your reservation has ended, and the tickets are gone." in text_of(answer)


def test_other_tickets_can_be_chosen(client: Client) -> None:
    event = make_sales(adult(size=2))
    reservation = make_reservation(event, Adult=2)
    path = f"{checkout_path(reservation)}/change"
    assert client.get(path).status_code == 405
    assert Reservation.objects.exists()
    answer = client.post(path)
    page = client.get(answer.headers["Location"])
    assert answer.headers["Location"].startswith(f"{path_of(event)}/tickets?occurrence={reservation.start}&")
    assert "2 left" in text_of(page)
    assert '<option value="2" selected>' in page.content.decode()
    assert client.post(path).status_code == 404
    # An order keeps its seats.
    placed = make_reservation(event, Adult=2)
    send(client, placed)
    client.post(f"{checkout_path(placed)}/change")
    assert Reservation.objects.filter(pk=placed.pk).exists()


def test_nothing_is_sold_that_cannot_be_paid(client: Client) -> None:
    reservation = make_reservation(make_sales())
    set_setting(key="payments.allow_test_payments", value=False)
    page = text_of(client.get(checkout_path(reservation)))
    assert "Online payments aren't available at the moment." in page
    assert "Pay $32.00" not in page
    assert errors(send(client, reservation))
    assert not Payment.objects.exists()


def test_an_account_is_known(client: Client) -> None:
    mia = create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")
    client.force_login(mia)
    event = make_sales()
    path = reserve(client, event, Adult=1).headers["Location"]
    page = client.get(path).content.decode()
    assert "Mia Sand" in page
    assert "mia@example.com" in page
    assert Reservation.objects.get().user == mia
    send(client, Reservation.objects.get())
    assert TicketOrder.objects.get().user == mia


def test_one_address_orders_so_many_times_an_hour(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.ticketing.views.checkout.ORDERS_PER_HOUR", 1)
    event = make_sales()
    answers = [send(client, make_reservation(event)).status_code for _ in range(2)]
    assert answers == [302, 429]


def test_a_slash_at_the_end_does_no_harm(client: Client) -> None:
    event = make_sales()
    assert client.get(f"{path_of(event)}/tickets/", follow=True).status_code == 200
    assert client.get(f"{checkout_path(make_reservation(event))}/", follow=True).status_code == 200
