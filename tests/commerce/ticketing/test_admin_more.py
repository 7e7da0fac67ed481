"""The waiting list, promo codes and messages to attendees in the admin."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from commerce.ticketing.models import Announcement, PromoCode, TicketOrder, WaitingEntry
from commerce.ticketing.services.ending import void_tickets
from tests import people
from tests.submitting import shown_key

from .admin_builders import ATTENDEES, PROMOS, WAITING, statements, ticket_of
from .builders import WEEKLY, adult, first_start, make_event, make_sales, paid_order, starts, wait


def sold_out(**more: Any) -> Any:
    """An event whose only seat is sold, with somebody who waits."""
    event = make_sales(adult(size=1), **more)
    paid_order(event)
    wait(event)
    return event


@pytest.mark.both_databases
def test_people_are_taken_off_the_waiting_list(admin_client: Client) -> None:
    sold_out(title="Quartet")
    entry = WaitingEntry.objects.get()
    page = admin_client.get(WAITING).content.decode()
    for words in ("Noor de Vries", "Quartet", "1 \N{MULTIPLICATION SIGN} Adult", "Take off the list"):
        assert words in page, words
    path = f"{WAITING}take-off/{entry.pk}/"
    assert "gets no email" in admin_client.get(path).content.decode()
    assert "no longer on the waiting list" in admin_client.post(path, follow=True).content.decode()
    entry.refresh_from_db()
    assert entry.status == "left"
    assert "Take off the list" not in admin_client.get(WAITING).content.decode()


def test_an_offer_is_shown_and_goes_to_the_next_in_line(admin_client: Client) -> None:
    event = sold_out()
    second = wait(event, "kim@example.com")
    order = TicketOrder.objects.get()
    void_tickets(order=order, tickets=[ticket_of(order).pk])
    first = WaitingEntry.objects.get(email="noor@example.com")
    assert first.status == "offered"
    assert "Until " in admin_client.get(WAITING, {"status": "offered"}).content.decode()
    admin_client.post(f"{WAITING}take-off/{first.pk}/")
    second.refresh_from_db()
    assert second.status == "offered"


@pytest.mark.both_databases
def test_the_waiting_list_filters_and_exports(admin_client: Client) -> None:
    event = sold_out(repeat=WEEKLY)
    other = sold_out(title="Trio")
    first = starts(event)[0]

    def shown(**query: Any) -> list[int]:
        answer = admin_client.get(WAITING, query)
        assert answer.status_code == 200
        return [each.ticket_type.event_id for each in answer.context["object_list"]]

    assert len(shown()) == 2
    assert shown(event=event.pk) == shown(event=event.pk, start=first) == [event.pk]
    assert shown(event=other.pk, q="noor") == [other.pk]
    assert shown(status="left") == []
    for hostile in ({"start": "\0"}, {"event": "9" * 30}, {"q": "\0"}):
        assert admin_client.get(WAITING, hostile).status_code == 200
    few = statements(admin_client, WAITING)
    wait(event, "kim@example.com")
    sold_out()
    assert statements(admin_client, WAITING) <= few
    lines = admin_client.get(WAITING, {"export": "csv", "event": other.pk}).getvalue().decode().splitlines()
    assert lines[1].startswith("Noor de Vries,noor@example.com,Trio,")


def test_promo_codes_are_for_all_events_or_one(admin_client: Client) -> None:
    event, unsold = make_sales(title="Quartet"), make_event(title="Trio")
    values = {"code": "spring10", "kind": "percentage", "percent": "10", "event": str(event.pk), "enabled": "on"}
    assert admin_client.post(f"{PROMOS}new/", values).status_code == 302
    code = PromoCode.objects.get()
    assert (code.code, code.percent, code.event_id) == ("SPRING10", Decimal(10), event.pk)
    page = admin_client.get(PROMOS).content.decode()
    assert "Quartet" in page
    path = f"{PROMOS}edit/{code.pk}/"
    assert f'<option value="{event.pk}" selected>' in admin_client.get(path).content.decode()
    for wrong in ({"event": str(unsold.pk)}, {"event": "\0"}, {"percent": "101"}, {"kind": "shipping"}):
        answer = admin_client.post(path, {**values, **wrong})
        assert set(answer.context["form"].errors) == set(wrong), wrong
    admin_client.post(path, {**values, "event": ""})
    code.refresh_from_db()
    assert code.event is None
    admin_client.post(f"{PROMOS}disable/{code.pk}/")
    code.refresh_from_db()
    assert not code.enabled
    admin_client.post(f"{PROMOS}delete/{code.pk}/")
    assert not PromoCode.objects.exists()


def test_attendees_of_a_date_get_a_message(admin_client: Client) -> None:
    event = make_sales(repeat=WEEKLY, title="Choir")
    first, second = starts(event)[:2]
    for email in ("dana@example.com", "ruth@example.com", "ruth@example.com"):
        paid_order(event, first, Adult=2, buyer_values={"email": email})
    path = f"{ATTENDEES}message/{event.pk}/"
    assert "Send to 2 people" in admin_client.get(path).content.decode()
    assert "Nobody has a ticket for this date." in admin_client.get(path, {"start": second}).content.decode()
    good = {"subject": "Doors at seven", "message": "Please come early."}
    for wrong in ({"subject": ""}, {"message": "\0"}, {"subject": "x" * 151}, {"message": "x" * 5001}):
        answer = admin_client.post(f"{path}?start={first}", {**good, **wrong})
        assert answer.status_code == 422, wrong
        assert set(answer.context["entry_form"].errors) == set(wrong)
    assert admin_client.post(f"{path}?start={second}", good).status_code == 422
    assert not Announcement.objects.exists()
    page = admin_client.post(f"{path}?start={first}", good, follow=True).content.decode()
    assert "The message will be emailed to 2 people." in page
    sent = Announcement.objects.get()
    assert (sent.start, sent.subject, sent.user and sent.user.email) == (first, "Doors at seven", "alice@example.com")
    assert admin_client.get(f"{path}?start=2020-01-01").status_code == 404


def test_a_message_that_is_sent_twice_goes_out_once(admin_client: Client) -> None:
    event = make_sales()
    paid_order(event)
    path = f"{ATTENDEES}message/{event.pk}/"
    good = {"subject": "Doors at seven", "message": "Please come early.", "once": shown_key(admin_client, path)}
    posts = [admin_client.post(f"{path}?start={first_start(event)}", good) for _ in range(2)]
    assert posts[0].headers["Location"] == posts[1].headers["Location"]
    assert Announcement.objects.count() == 1


def test_who_may_do_what(client: Client) -> None:
    event = make_sales()
    paths = (WAITING, PROMOS, f"{PROMOS}new/", f"{ATTENDEES}message/{event.pk}/?start={first_start(event)}")
    client.force_login(people.bob())
    for path in paths:
        assert client.get(path).status_code == 302, path
    client.force_login(people.mallory_manager())
    for path in paths:
        assert client.get(path).status_code == 200, path
