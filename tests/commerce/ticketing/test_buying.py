"""Reserving tickets and placing their order."""

from decimal import Decimal
from typing import Any

import pytest

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.common.services import save_tax_rule
from commerce.ticketing.models import AttendeeTicket, Reservation, TicketOrder
from commerce.ticketing.services.buying import ENDED, place_order, reserve_tickets
from commerce.ticketing.services.housekeeping import release_seats

from .builders import (
    WEEKLY,
    adult,
    buyer,
    make_order,
    make_promo,
    make_reservation,
    make_sales,
    paid_order,
    pay,
    starts,
    type_of,
)
from .refusals import refused


@pytest.mark.both_databases
def test_it_works() -> None:
    event = make_sales(adult(size=5))
    order = make_order(event, Adult=2)
    assert (order.number, order.status, order.total_cents, order.ticket_count) == ("TIX-1001", "pending", 6400, 2)
    assert order.occurrence_start is None
    assert not AttendeeTicket.objects.exists()
    pay(order)
    assert (order.status, order.reservation, Reservation.objects.count()) == ("paid", None, 0)
    tickets = list(order.tickets.order_by("pk"))
    assert [(each.type_name, each.status, len(each.code)) for each in tickets] == [("Adult", "valid", 8)] * 2
    mail = OutgoingMail.objects.get(template="tickets_bought")
    assert (mail.recipient, mail.subject) == ("dana@example.com", "Your tickets for Open rehearsal")
    assert sorted(mail.attachments.values_list("name", flat=True)) == [f"{order.number}.pdf", "invite.ics"]
    assert OutboxEvent.objects.filter(kind="ticket_order.paid").count() == 1


@pytest.mark.both_databases
def test_a_free_order_is_paid_at_once() -> None:
    order = make_order(make_sales(adult(pricing="free")))
    assert (order.status, order.total_cents, order.tickets.count()) == ("paid", 0, 1)


@pytest.mark.parametrize("pricing", ["free", "fixed"])
def test_a_type_that_staff_remove_meanwhile_is_not_sold(pricing: str) -> None:
    event = make_sales(adult(pricing=pricing))
    reservation = make_reservation(event, Adult=2)
    type_of(event, "Adult").delete()
    assert refused(lambda: place_order(reservation=reservation, values=buyer(total_cents=0))) == {"reservation": [ENDED]}
    assert not TicketOrder.objects.exists()


@pytest.mark.parametrize("country", ["GB", "IE", "DE"])
def test_tickets_are_taxed_where_the_business_is(country: str) -> None:
    set_setting(key="site.country", value="GB")
    for taxed, percent in (("GB", 20), ("IE", 23)):
        save_tax_rule(values={"country": taxed, "label": "VAT", "percent": Decimal(percent)})
    event = make_sales(adult(price_cents=2400))
    order = make_order(event, buyer_values={"country": country, "billing_address": {"country": country}})
    assert (order.total_cents, order.tax_cents) == (2880, 480)


def test_names_and_answers_are_on_the_tickets() -> None:
    question = {"key": "meal", "label": "Meal", "type": "select", "required": True, "options": ["Fish", "Beans"]}
    event = make_sales(values={"asks_names": True, "questions": [question]})
    reservation = make_reservation(event, Adult=2)
    dana = {"name": "Dana Reyes", "answers": {"meal": "Fish"}}
    errors = refused(place_order, reservation=reservation, values=buyer(attendees=[dana, {"answers": {"meal": "Stone"}}]))
    assert set(errors) == {"attendees.1.name", "attendees.1.data.meal"}
    sam = {"name": "Sam Okafor", "answers": {"meal": "Beans"}}
    order = pay(place_order(reservation=reservation, values=buyer(attendees=[dana, sam])))
    assert [(each.attendee_name, each.answers[0]["answer"]) for each in order.tickets.order_by("pk")] == [
        ("Dana Reyes", "Fish"),
        ("Sam Okafor", "Beans"),
    ]


def test_a_date_of_a_repeating_event() -> None:
    event = make_sales(adult(size=1), repeat=WEEKLY)
    first, second, *_ = starts(event)
    assert paid_order(event, first).occurrence_start == first
    # Each date has seats of its own.
    assert paid_order(event, second).occurrence_start == second
    assert refused(make_reservation, event, first) == {f"quantity.{type_of(event).pk}": ["Adult is sold out."]}


@pytest.mark.parametrize(
    ("changes", "quantity", "sentence"),
    [
        ({"size": 2}, 3, "Only 2 left of Adult."),
        ({"max_per_order": 3}, 4, "Choose at most 3 of Adult."),
        ({"min_per_order": 2}, 1, "Choose at least 2 of Adult."),
        ({}, -1, "Choose at least 1 of Adult."),
        ({"is_offered": False}, 1, "This ticket isn't on sale."),
        ({"access_code": "FRIENDS"}, 1, "This ticket isn't on sale."),
        ({"closes_minutes": 60 * 24 * 30}, 1, "Adult isn't on sale any more."),
    ],
)
def test_it_cannot_be_reserved(changes: dict[str, Any], quantity: int, sentence: str) -> None:
    event = make_sales(adult(**changes))
    assert [sentence] in refused(make_reservation, event, Adult=quantity).values()
    assert not Reservation.objects.exists()


def test_nothing_is_chosen() -> None:
    assert "quantity" in refused(make_reservation, make_sales(), Adult=0)


def test_a_shared_quota() -> None:
    event = make_sales(
        adult(quota="Hall"), adult(name="Student", price_cents=1800, quota="Hall", size=2), quotas=[{"name": "Hall", "size": 3}]
    )
    make_reservation(event, Adult=1, Student=2)
    assert "All tickets of Adult are reserved" in str(refused(make_reservation, event, Adult=1))


def test_a_code_unlocks_a_hidden_type() -> None:
    event = make_sales(adult(access_code="friends"))
    order = make_order(event, code="Friends")
    assert (order.promo_code, order.total_cents) == ("", 3200)
    assert refused(make_reservation, event, code="ENEMIES") == {"code": ["This code isn't valid."]}


def test_a_promo_code() -> None:
    make_promo(max_uses=1)
    event = make_sales()
    order = make_order(event, code="spring10", Adult=2)
    assert (order.promo_code, order.discount_cents, order.total_cents) == ("SPRING10", 640, 5760)
    assert refused(make_order, event, code="SPRING10") == {"discount_code": ["This discount code has been used up."]}


def test_a_promo_code_of_another_event() -> None:
    make_promo(event=make_sales(title="Another"))
    event = make_sales()
    reservation = make_reservation(event)
    errors = refused(place_order, reservation=reservation, values=buyer(discount_code="SPRING10"))
    assert errors == {"discount_code": ["This discount code is for another event."]}


def test_buyers_name_the_price() -> None:
    event = make_sales(adult(pricing="open", price_cents=500, suggested_cents=2000))
    pk = type_of(event).pk
    assert make_reservation(event).seats.get().unit_price_cents == 2000
    assert make_reservation(event, prices={pk: 700}).seats.get().unit_price_cents == 700
    assert refused(make_reservation, event, prices={pk: 499}) == {f"price.{pk}": ["Enter a price of $5.00 or more."]}


def test_fees() -> None:
    set_setting(key="ticketing.fee_basis_points", value=250)
    set_setting(key="ticketing.fee_fixed_cents", value=50)
    event = make_sales(adult(), adult(name="Child", pricing="free"))
    order = make_order(event, Adult=2, Child=1)
    # 2.5% of 64.00, and 0.50 for each ticket that costs something.
    assert (order.subtotal_cents, order.fee_cents, order.total_cents) == (6400, 260, 6660)
    make_promo("ALL", percent=100)
    assert make_order(event, code="ALL").total_cents == 0


@pytest.mark.both_databases
def test_a_total_that_has_changed() -> None:
    reservation = make_reservation(make_sales())
    assert "total_cents" in refused(place_order, reservation=reservation, values=buyer(total_cents=1))
    assert not TicketOrder.objects.exists()


@pytest.mark.both_databases
def test_one_order_for_each_reservation() -> None:
    reservation = make_reservation(make_sales())
    order = place_order(reservation=reservation, values=buyer())
    again = place_order(reservation=reservation, values=buyer(name="Dana R."))
    assert (again.pk, again.name, again.items.count()) == (order.pk, "Dana R.", 1)


def test_a_reservation_ends_by_the_clock(later: Any) -> None:
    event = make_sales(adult(size=1))
    reservation = make_reservation(event)
    later(minutes=16)
    # Nobody has had the seat since: it is still to be had.
    other = make_reservation(event)
    assert "reservation" in refused(place_order, reservation=reservation, values=buyer())
    assert place_order(reservation=other, values=buyer()).is_pending


@pytest.mark.both_databases
def test_an_order_that_is_not_paid_gives_back_its_seats(later: Any) -> None:
    event = make_sales(adult(size=1))
    order = make_order(event)
    later(minutes=16)
    release_seats()
    order.refresh_from_db()
    assert order.is_pending
    later(minutes=20)
    release_seats()
    order.refresh_from_db()
    assert (order.status, order.has_lapsed, Reservation.objects.count()) == ("cancelled", True, 0)
    assert make_order(event).is_pending


def test_the_event_is_cancelled_meanwhile() -> None:
    event = make_sales(adult(size=1))
    reservation = make_reservation(event)
    event.status = "unpublished"
    event.save(update_fields=["status"])
    assert "reservation" in refused(place_order, reservation=reservation, values=buyer())


def test_the_start_is_no_date() -> None:
    event = make_sales()
    for start in ("2031-01-01T10:00:00", "yesterday", ""):
        assert refused(reserve_tickets, event=event, start=start, quantities={type_of(event).pk: 1}) == {
            "occurrence": ["Choose one of the dates."]
        }
