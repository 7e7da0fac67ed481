"""The waiting list: freed seats are offered in turn, and others cannot have them meanwhile."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import Reservation, WaitingEntry
from commerce.ticketing.selectors.events import own_date
from commerce.ticketing.selectors.offers import Offer, offers_for
from commerce.ticketing.services.buying import place_order
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.sales import save_sales
from commerce.ticketing.services.waiting import join_waiting_list, leave_waiting_list

from .builders import adult, buyer, first_start, make_reservation, make_sales, paid_order, pay, type_of, wait
from .refusals import refused


def statuses() -> dict[str, str]:
    return dict(WaitingEntry.objects.values_list("email", "status"))


def sold_out(size: int = 1) -> tuple[Any, Any]:
    event = make_sales(adult(size=size))
    return event, paid_order(event, Adult=size)


def void(order: Any, number: int = 1) -> None:
    void_tickets(order=order, tickets=list(order.tickets.filter(status="valid").values_list("pk", flat=True)[:number]))


@pytest.mark.both_databases
def test_it_works() -> None:
    event, order = sold_out()
    entry, later_entry = wait(event), wait(event, "sam@example.com")
    void(order)
    assert statuses() == {"noor@example.com": "offered", "sam@example.com": "waiting"}
    offer = OutgoingMail.objects.get(template="ticket_offer")
    # The address is one that a visitor has entered, whoever causes the offer.
    assert (offer.recipient, offer.is_limited) == ("noor@example.com", True)
    # Nobody else can have the seat.
    assert refused(make_reservation, event)
    entry.refresh_from_db()
    bought = pay(place_order(reservation=entry.reservation, values=buyer(email="noor@example.com")))
    assert (bought.status, statuses()["noor@example.com"]) == ("paid", "bought")
    void(bought)
    later_entry.refresh_from_db()
    assert later_entry.status == "offered"


def test_an_offer_ends_and_goes_to_the_next(later: Any) -> None:
    event, order = sold_out()
    wait(event)
    wait(event, "sam@example.com")
    void(order)
    later(hours=25)
    release_seats()
    assert statuses() == {"noor@example.com": "expired", "sam@example.com": "offered"}
    assert Reservation.objects.count() == 1


def test_an_offer_that_is_being_paid_does_not_end(later: Any) -> None:
    event, order = sold_out()
    entry = wait(event)
    void(order)
    entry.refresh_from_db()
    later(hours=23, minutes=58)
    placed = place_order(reservation=entry.reservation, values=buyer(email="noor@example.com"))
    later(minutes=10)
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}
    assert pay(placed).status == "paid"


def test_a_larger_party_is_passed_over_until_there_are_enough_seats() -> None:
    event, order = sold_out(3)
    wait(event, quantity=2)
    wait(event, "sam@example.com")
    void(order)
    assert statuses() == {"noor@example.com": "waiting", "sam@example.com": "offered"}
    void(order, 2)
    assert statuses() == {"noor@example.com": "offered", "sam@example.com": "offered"}


def test_visitors_come_after_those_who_wait(later: Any) -> None:
    """A seat that is only free because a cart has ended is theirs too, before the job has seen it."""
    event = make_sales(adult(size=1))
    make_reservation(event)
    wait(event)
    later(minutes=16)
    assert refused(make_reservation, event)
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}


def offers(event: Any) -> dict[str, Offer]:
    """The offers that visitors see, by ticket type."""
    date = own_date(event)
    assert date
    return {each.ticket_type.name: each for each in offers_for(date)}


HALL = [{"name": "Hall", "size": 12}]


def test_somebody_who_cannot_be_served_blocks_nothing() -> None:
    event = make_sales(adult(name="VIP", size=2, quota="Hall"), adult(quota="Hall"), quotas=HALL)
    paid_order(event, VIP=2)
    wait(event, ticket_type=type_of(event, "VIP").pk, quantity=2)
    # As if there had been more seats before.
    WaitingEntry.objects.update(quantity=10)
    found = offers(event)
    assert (found["VIP"].state, found["VIP"].can_wait) == ("sold_out", True)
    assert (found["Adult"].state, found["Adult"].left, found["Adult"].most) == ("on_sale", 10, 10)
    release_seats()
    assert paid_order(event, Adult=10).status == "paid"
    assert statuses() == {"noor@example.com": "waiting"}


@pytest.mark.parametrize(
    "changes", [{"is_offered": False}, {"sales_end": -1}, {"sales_start": 1}, {"start": "2031-01-01T18:30:00"}]
)
def test_somebody_whose_ticket_is_not_sold_now_blocks_nothing(changes: dict[str, Any]) -> None:
    event = make_sales(adult(name="VIP", size=1, quota="Hall"), adult(quota="Hall"), quotas=HALL)
    order = paid_order(event, VIP=1)
    wait(event, ticket_type=type_of(event, "VIP").pk, quantity=1)
    now = timezone.now()
    moments = {name: now + timedelta(days=value) if name.startswith("sales_") else value for name, value in changes.items()}
    type(type_of(event)).objects.filter(name="VIP", event=event).update(**moments)
    void(order)
    assert (offers(event)["Adult"].left, statuses()["noor@example.com"]) == (12, "waiting")


def test_seats_that_no_party_fits_into_are_sold() -> None:
    """Ten seats were sold as five and five, a party of six waits, and one five is void."""
    event = make_sales(adult(size=10))
    first, _ = paid_order(event, Adult=5), paid_order(event, Adult=5)
    wait(event, quantity=6)
    void(first, 5)
    assert offers(event)["Adult"].left == 5
    assert paid_order(event, Adult=5).status == "paid"
    assert statuses() == {"noor@example.com": "waiting"}


def test_the_first_in_line_who_fits_comes_first(later: Any) -> None:
    event = make_sales(adult(size=10))
    make_reservation(event, Adult=5)
    paid_order(event, Adult=5)
    wait(event, quantity=6)
    wait(event, "sam@example.com", quantity=3)
    later(minutes=16)
    # The seats of the cart that has ended: three are about to be offered, before the job has seen it, and two are left.
    assert offers(event)["Adult"].left == 2
    assert "quantity" in str(refused(make_reservation, event, Adult=3))
    release_seats()
    assert statuses() == {"noor@example.com": "waiting", "sam@example.com": "offered"}
    assert offers(event)["Adult"].left == 2


def test_a_cart_that_has_ended_comes_after_those_who_wait(later: Any) -> None:
    event = make_sales(adult(size=1))
    late = make_reservation(event)
    wait(event)
    later(minutes=16)
    assert "reservation" in refused(place_order, reservation=late, values=buyer())
    assert statuses() == {"noor@example.com": "waiting"}
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}


@pytest.mark.both_databases
def test_seats_that_become_free_by_the_clock_are_offered(later: Any) -> None:
    """The sales begin again: nobody edits or gives back anything at that moment."""
    event, order = sold_out()
    wait(event)
    begins = timezone.now() + timedelta(hours=2)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=1, sales_start=begins)])
    void(order)
    release_seats()
    assert statuses() == {"noor@example.com": "waiting"}
    later(hours=3)
    release_seats()
    assert statuses() == {"noor@example.com": "offered"}


def test_the_waiting_for_a_past_date_ends(later: Any) -> None:
    event, _ = sold_out()
    wait(event)
    later(days=9)
    release_seats()
    assert statuses() == {"noor@example.com": "expired"}


def _date(begins: Any) -> dict[str, Any]:
    return {"start": f"{begins:%Y-%m-%dT%H:%M}", "tz": "UTC", "repeat": None}


@pytest.mark.parametrize(("changes", "hours"), [({}, 3), ({"closes_minutes": 60}, 2), ({"sales_end": 1}, 1)])
def test_an_offer_ends_with_the_sales(changes: dict[str, Any], hours: int) -> None:
    begins = timezone.now().replace(second=0, microsecond=0) + timedelta(hours=3)
    if "sales_end" in changes:
        changes = {"sales_end": begins - timedelta(hours=2)}
    event = make_sales(adult(size=1, **changes), data={"event_date": _date(begins)})
    order = paid_order(event)
    entry = wait(event)
    void(order)
    entry.refresh_from_db()
    assert entry.reservation
    assert entry.reservation.until == begins - timedelta(hours=3 - hours)


def test_an_offer_of_plenty_of_time_lasts_its_hours() -> None:
    event, order = sold_out()
    entry = wait(event)
    void(order)
    entry.refresh_from_db()
    assert entry.reservation
    assert timedelta(hours=23) < entry.reservation.until - timezone.now() <= timedelta(hours=24)


def test_an_offer_ends_earlier_if_the_sales_do(later: Any) -> None:
    event, order = sold_out()
    entry = wait(event)
    void(order)
    ends = timezone.now() + timedelta(hours=1)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=1, sales_end=ends)])
    entry.refresh_from_db()
    assert entry.reservation
    assert entry.reservation.until == ends
    later(hours=2)
    release_seats()
    assert statuses() == {"noor@example.com": "expired"}


@pytest.mark.parametrize(
    ("lasts", "value"), [(True, {"all_day": True}), (True, {"days": 30}), (False, {}), (True, {"sold_until": "end"})]
)
def test_a_date_that_has_begun(lasts: bool, value: dict[str, Any], later: Any) -> None:
    """A festival of whole days and an exhibition of a month are sold while they last, a concert if staff choose so."""
    begins = timezone.now() + timedelta(hours=2)
    ends = begins + timedelta(days=value.get("days", 0), hours=3)
    date = {"start": f"{begins:%Y-%m-%dT%H:%M}", "end": f"{ends:%Y-%m-%dT%H:%M}", "tz": "UTC", "repeat": None}
    if value.get("all_day"):
        date = {"start": f"{begins:%Y-%m-%d}", "end": f"{begins + timedelta(days=2):%Y-%m-%d}", "all_day": True, "tz": "UTC"}
    event = make_sales(adult(size=5, sold_until=value.get("sold_until", "")), data={"event_date": date})
    start = first_start(event)
    later(hours=3)
    found = offers(event)["Adult"]
    assert found.state == ("on_sale" if lasts else "ended")
    if lasts:
        assert paid_order(event, start, Adult=2).status == "paid"
    else:
        assert refused(make_reservation, event, start)


def test_more_seats_are_offered() -> None:
    event, _ = sold_out()
    wait(event)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=2)])
    assert statuses() == {"noor@example.com": "offered"}


def test_somebody_leaves() -> None:
    event, order = sold_out()
    entry = wait(event)
    wait(event, "sam@example.com")
    void(order)
    assert leave_waiting_list(entry=entry)
    assert not leave_waiting_list(entry=entry)
    assert statuses() == {"noor@example.com": "left", "sam@example.com": "offered"}


@pytest.mark.both_databases
def test_an_address_waits_once() -> None:
    event, order = sold_out(3)
    wait(event)
    assert wait(event, "Noor@Example.com", quantity=3).quantity == 3
    assert WaitingEntry.objects.count() == 1
    void(order, 1)
    save_sales(event=event, values={}, quotas=[], types=[adult(id=type_of(event).pk, size=6)])
    assert "email" in refused(wait, event) or "ticket_type" in refused(wait, event)


def test_it_cannot_be_joined() -> None:
    event, _ = sold_out()
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"email": "nobody"}, "email"),
        ({"name": " "}, "name"),
        ({"quantity": 0}, "quantity"),
        ({"quantity": "2"}, "quantity"),
        ({"quantity": 11}, "quantity"),
        ({"ticket_type": 0}, "ticket_type"),
        ({"start": "2031-01-01"}, "occurrence"),
    ]
    for changes, path in refusals:
        assert path in refused(wait, event, **changes), changes


def test_nobody_waits_for_more_than_there_are() -> None:
    quotas = [{"name": "Hall", "size": 3}]
    event = make_sales(adult(size=5, quota="Hall"), adult(name="VIP", size=2, quota="Hall"), quotas=quotas)
    paid_order(event, Adult=1)
    paid_order(event, VIP=2)
    vip = type_of(event, "VIP").pk
    for wanted, most in ({}, 3), ({"ticket_type": vip}, 2):
        assert refused(wait, event, quantity=most + 1, **wanted) == {"quantity": [f"Choose between 1 and {most} tickets."]}
        entry = wait(event, quantity=most, **wanted)
        # It can't be raised either.
        assert "quantity" in refused(wait, event, quantity=10, **wanted)
        assert entry.quantity == most


def test_a_type_without_seats_may_get_some() -> None:
    assert wait(make_sales(adult(size=0)), quantity=10).quantity == 10


@pytest.mark.both_databases
def test_there_is_no_list_while_there_are_seats() -> None:
    assert "ticket_type" in refused(wait, make_sales(adult(size=1)))


@pytest.mark.both_databases
def test_a_type_without_a_list() -> None:
    event = make_sales(adult(size=0, has_waiting_list=False))
    given = {"ticket_type": type_of(event).pk, "name": "Noor", "email": "noor@example.com", "quantity": 1}
    assert "ticket_type" in refused(join_waiting_list, event=event, start=first_start(event), **given)
