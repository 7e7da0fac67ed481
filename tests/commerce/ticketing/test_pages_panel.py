"""The tickets on the page of an event: what is offered and in which state, and how some of it is reserved."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core import versions
from cms_api.flags.services import set_setting, switch_feature
from commerce.ticketing.models import Reservation
from commerce.ticketing.services.sales import save_sales
from commerce.ticketing.views.reserve import RESERVATIONS_PER_HOUR
from tests.builders import make_term
from tests.events.event_pages import graph
from tests.refusals import is_refused_for

from .builders import WEEKLY, adult, make_event, make_promo, make_reservation, make_sales, paid_order, starts, type_of, words
from .page_builders import errors, path_of, plain, reserve, text_of


def panel(client: Client, event: Any, query: str = "") -> str:
    answer = client.get(path_of(event) + query)
    assert answer.status_code == 200
    return text_of(answer)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event = make_sales(adult(description="From 18 on"), adult(name="Child", pricing="free"))
    shown = panel(client, event)
    for text in ("Tickets", "Adult $32.00 From 18 on", "Child Free", "Get tickets", "Have a code?"):
        assert text in shown
    assert "RSVP" not in shown
    assert "csrfmiddlewaretoken" not in client.get(path_of(event)).content.decode()
    answer = reserve(client, event, Adult=2, Child=1)
    reservation = Reservation.objects.get()
    assert answer.status_code == 303
    checkout = client.get(answer.headers["Location"])
    assert "2 x Adult" in text_of(checkout)
    assert dict(reservation.seats.values_list("ticket_type__name", "quantity")) == {"Adult": 2, "Child": 1}


def test_nothing_shows_without_sales_or_dates(client: Client) -> None:
    assert "Tickets" not in panel(client, make_event())
    over = make_sales(start="2020-01-01T18:30", title="Past")
    assert "Get tickets" not in panel(client, over)
    answer = client.get(f"{path_of(over)}/tickets")
    assert "Tickets for this event aren't on sale." in text_of(answer)
    assert errors(reserve(client, over, "2020-01-01T18:30:00", Adult=1)) == [("Tickets for this date aren't on sale.", "")]


def test_each_state_has_its_words(client: Client) -> None:
    now = timezone.now()
    event = make_sales(
        adult(name="Early", sales_start=now + timedelta(days=1)),
        adult(name="Former", sales_end=now - timedelta(days=1)),
        adult(name="Gone", size=0),
        adult(name="Quiet", size=0, has_waiting_list=False),
        adult(name="Busy", size=1, has_waiting_list=False),
        adult(name="Few", size=12),
        adult(name="Many", size=200),
        adult(name="Not offered", is_offered=False),
        adult(name="Hidden", access_code="FRIENDS"),
    )
    make_reservation(event, Busy=1)
    shown = panel(client, event)
    for text in (
        "Early $32.00 On sale from ",
        "Former $32.00 Sales have ended",
        "Gone $32.00 Sold out Join the waiting list for Gone",
        "Quiet $32.00 Sold out Busy",
        "Busy $32.00 All reserved at the moment. Try again in a few minutes. Few",
        "Few $32.00 12 left",
        "Many $32.00 Quantity",
    ):
        assert text in shown
    for text in ("Not offered", "Hidden"):
        assert text not in shown


@pytest.mark.both_databases
def test_search_engines_read_the_offers(client: Client) -> None:
    opens = timezone.now() + timedelta(days=1)
    event = make_sales(
        adult(),
        adult(name="Gone", size=0),
        adult(name="Early", sales_start=opens, sales_end=opens + timedelta(days=1)),
        adult(name="Former", sales_end=timezone.now() - timedelta(days=1)),
        adult(name="Open", pricing="open", price_cents=500, suggested_cents=1000),
    )
    offers = graph(client.get(path_of(event)).content.decode())["offers"]
    assert [(each["name"], each["price"], each["availability"].rpartition("/")[2]) for each in offers] == [
        ("Adult", "32.00", "InStock"),
        ("Gone", "32.00", "SoldOut"),
        ("Early", "32.00", "PreOrder"),
        ("Open", "5.00", "InStock"),
    ]
    assert {each["priceCurrency"] for each in offers} == {"USD"}
    assert offers[2]["validFrom"] == opens.isoformat(timespec="seconds")
    assert offers[0]["url"].endswith(path_of(event))


def test_the_cached_page_changes_with_the_sales(client: Client, later: Any) -> None:
    event = make_sales(adult(size=30, sales_end=timezone.now() + timedelta(hours=1)))
    assert "left" not in panel(client, event)
    paid_order(event, Adult=10)
    assert "20 left" in panel(client, event)
    make_reservation(event, Adult=5)
    assert "15 left" in panel(client, event)
    save_sales(event=event, values={}, quotas=(), types=[{**adult(name="Seat"), "id": type_of(event).pk, "size": 30}])
    assert "Seat" in panel(client, event)
    versions.forget()
    later(hours=2)
    assert "Sales have ended" in panel(client, event)


def test_a_date_is_chosen(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    later_date = starts(event)[2]
    make_sales(adult(), adult(name="Gala", start=later_date), event=event)
    shown = client.get(path_of(event)).content.decode()
    assert shown.count('<option value="20') == 4
    assert "Gala" not in panel(client, event)
    shown = client.get(f"{path_of(event)}?occurrence={later_date}")
    assert "Gala" in text_of(shown)
    assert f'<option value="{later_date}" selected>' in shown.content.decode()
    answer = reserve(client, event, later_date, Gala=1)
    assert Reservation.objects.get().start.startswith(later_date)
    assert plain(words(event, later_date)) in text_of(client.get(answer.headers["Location"]))
    # Without a choice, nobody knows which.
    assert errors(client.post(f"{path_of(event)}/tickets", {f"quantity-{type_of(event).pk}": "1"})) == [
        ("Choose one of the dates.", "tickets-occurrence")
    ]


def test_only_some_dates_have_tickets(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, _, gala, other = starts(event)
    make_sales(adult(start=gala), event=event)
    assert f"Tickets {plain(words(event, gala))} Adult" in panel(client, event)
    assert "There are no tickets for this date." in panel(client, event, f"?occurrence={other}")
    assert reserve(client, event, first, Adult=1).status_code == 422
    assert reserve(client, event, gala, Adult=1).status_code == 303


def test_a_code_reveals_hidden_tickets(client: Client) -> None:
    event = make_sales(adult(), adult(name="Hidden", access_code="FRIENDS", size=0))
    path = f"{path_of(event)}/tickets"
    assert "Hidden" not in text_of(client.get(path))
    answer = client.get(f"{path}?code=friends&quantity-{type_of(event).pk}=2")
    assert "Hidden" in text_of(answer)
    assert "code=friends" in answer.content.decode()
    assert '<option value="2" selected>' in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    answer = client.get(f"{path}?code=unknown")
    assert errors(answer) == [("This code isn't valid.", "tickets-code")]


def test_access_codes_cannot_be_found_by_trying(client: Client) -> None:
    event = make_sales(adult(), adult(name="Hidden", access_code="FRIENDS"))
    path = f"{path_of(event)}/tickets"
    assert [client.get(f"{path}?code=guess{number}").status_code for number in range(21)] == [422] * 20 + [429]
    refused = client.get(f"{path}?code=friends")
    assert is_refused_for(refused, 3600)
    assert "Hidden" not in text_of(refused)


def test_only_hidden_tickets_leave_the_code(client: Client) -> None:
    event = make_sales(adult(access_code="FRIENDS"))
    assert "Promo or access code" in panel(client, event)
    answer = reserve(client, event, typed={"code": "friends"}, Adult=1)
    assert answer.status_code == 303
    assert "Adult" in text_of(client.get(answer.headers["Location"]))


def test_a_promo_code_with_a_hyphen_is_kept(client: Client) -> None:
    make_promo("SPRING-10")
    event = make_sales()
    answer = reserve(client, event, typed={"code": "spring-10"}, Adult=1)
    assert "Discount (SPRING-10)" in text_of(client.get(answer.headers["Location"]))


def test_the_buyer_names_the_price(client: Client) -> None:
    event = make_sales(adult(pricing="open", price_cents=500, suggested_cents=1000))
    pk = type_of(event).pk
    assert 'value="10.00"' in client.get(path_of(event)).content.decode()
    sentences = {
        **dict.fromkeys(("4.99", "", "-7", "\0"), "Enter a price of $5.00 or more."),
        **dict.fromkeys(("x", "1e3", "12,50"), "Enter an amount such as 1,500.00."),
        "9" * 40: "Enter an amount of at most 999,999,999.99.",
    }
    for typed, sentence in sentences.items():
        found = errors(reserve(client, event, typed={f"price-{pk}": typed}, Adult=1))
        assert found == [(sentence, f"tickets-{pk}-price")]
    reserve(client, event, typed={f"price-{pk}": "7.50"}, Adult=2)
    assert Reservation.objects.get().seats.get().unit_price_cents == 750


def test_hostile_input_reserves_nothing(client: Client) -> None:
    event = make_sales(adult(size=5))
    pk = type_of(event).pk
    for sent, sentence in (
        ({"quantity-{}": "-1"}, "Choose at least 1 of Adult."),
        ({"quantity-{}": "9" * 30}, "Choose at least 1 of Adult."),
        ({"quantity-{}": "11"}, "Choose at most 10 of Adult."),
        ({"quantity-{}": "6"}, "Only 5 left of Adult."),
        ({"quantity-x": "1"}, "Choose at least one ticket."),
        ({"quantity-999999999999999999": "1"}, "This ticket isn't on sale."),
        ({"quantity-{}": "1", "occurrence": "9" * 50}, "Choose one of the dates."),
        ({"quantity-{}": "1", "code": "\0\0x"}, "This code isn't valid."),
    ):
        answer = reserve(client, event, typed={name.format(pk): value for name, value in sent.items()})
        assert sentence in [said for said, _ in errors(answer)], sent
    assert not Reservation.objects.exists()


def test_it_sells_out_while_somebody_chooses(client: Client) -> None:
    event = make_sales(adult(size=2))
    make_reservation(event, Adult=1)
    pk = type_of(event).pk
    assert errors(reserve(client, event, Adult=2)) == [("Only 1 left of Adult.", f"tickets-{pk}")]
    paid_order(event, Adult=1)
    answer = reserve(client, event, Adult=1)
    assert errors(answer) == [("All tickets of Adult are reserved at the moment. Try again in a few minutes.", "")]
    assert "no-store" in answer.headers["Cache-Control"]


def test_another_site_reserves_nothing(client: Client) -> None:
    event = make_sales()
    answer = client.post(
        f"{path_of(event)}/tickets", {f"quantity-{type_of(event).pk}": "1"}, headers={"origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert not Reservation.objects.exists()


def test_one_address_reserves_so_many_times_an_hour(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commerce.ticketing.views.reserve.RESERVATIONS_PER_HOUR", 2)
    assert RESERVATIONS_PER_HOUR > 2
    event = make_sales()
    answers = [reserve(client, event, Adult=1) for _ in range(3)]
    assert [each.status_code for each in answers] == [303, 303, 429]
    assert answers[2].headers["Retry-After"]
    assert Reservation.objects.count() == 2


def test_a_term_with_the_same_address_is_shown(client: Client) -> None:
    free = make_event()
    make_term(free.type, name="Tickets")
    assert "Tickets" in text_of(client.get("/events/category/tickets"))
    for path in ("/events/nothing/tickets", f"{path_of(free)}/tickets", f"{path_of(free)}/tickets/waiting"):
        assert client.get(path, follow=True).status_code == 404


def test_a_booking_fee_is_announced(client: Client) -> None:
    event = make_sales(adult(), adult(name="Child", pricing="free"))
    assert "booking fee" not in panel(client, event)
    set_setting(key="ticketing.fee_fixed_cents", value=100)
    assert "A booking fee is added at checkout." in panel(client, event)


def test_nothing_is_left_while_events_are_off(client: Client) -> None:
    event = make_sales()
    switch_feature(name="events", on=False)
    assert client.get(f"{path_of(event)}/tickets").status_code == 404
    assert client.get("/accounts/tickets/").status_code == 404
