"""Attendees in the admin: the list, the page of a ticket, and its buttons."""

from typing import Any

from django.test import Client

from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket
from tests import people

from .admin_builders import ATTENDEES, statements, ticket_of
from .builders import WEEKLY, adult, make_order, make_sales, paid_order, starts, type_of

ACTIONS = ("check-in", "undo", "transfer", "rename", "void")


def offered(client: Client, ticket: AttendeeTicket) -> set[str]:
    page = client.get(f"{ATTENDEES}inspect/{ticket.pk}/").content.decode()
    return {action for action in ACTIONS if f"{ATTENDEES}{action}/{ticket.pk}/" in page}


def test_it_works(admin_client: Client) -> None:
    question = {"key": "diet", "label": "Diet", "type": "text"}
    attendee = {"name": "Noa Reyes", "answers": {"diet": "Nuts"}}
    event = make_sales(title="Quartet", values={"asks_names": True, "questions": [question]})
    ticket = ticket_of(paid_order(event, buyer_values={"attendees": [attendee]}))
    page = admin_client.get(f"{ATTENDEES}inspect/{ticket.pk}/").content.decode()
    for words in ("Noa Reyes", "Nuts", "Quartet", "TIX-1001", f"{ticket.code[:4]} {ticket.code[4:]}"):
        assert words in page, words
    assert offered(admin_client, ticket) == {"check-in", "transfer", "rename", "void"}
    for _ in range(2):
        answer = admin_client.post(f"{ATTENDEES}check-in/{ticket.pk}/", follow=True)
    ticket.refresh_from_db()
    assert ticket.status == "checked_in"
    assert ticket.checked_in_by
    assert ticket.checked_in_by.email == "alice@example.com"
    assert "This ticket was already checked in." in answer.content.decode()
    assert offered(admin_client, ticket) == {"undo", "rename", "void"}
    assert "At the door" in admin_client.get(f"{ATTENDEES}inspect/{ticket.pk}/").content.decode()
    admin_client.post(f"{ATTENDEES}undo/{ticket.pk}/")
    ticket.refresh_from_db()
    assert (ticket.status, ticket.checked_in_by) == ("valid", None)


def test_a_ticket_is_transferred_renamed_and_voided(admin_client: Client) -> None:
    ticket = ticket_of(paid_order(make_sales(), Adult=2))
    code = ticket.code
    transfer, rename = (f"{ATTENDEES}{action}/{ticket.pk}/" for action in ("transfer", "rename"))
    for wrong in (
        {"name": "", "email": "sam@example.com"},
        {"name": "Sam", "email": "no"},
        {"name": "a\nb\0", "email": "s@e.com"},
    ):
        assert admin_client.post(transfer, wrong).status_code == 422, wrong
    assert admin_client.post(transfer, {"name": "Sam Okafor", "email": "sam@example.com"}).status_code == 302
    ticket.refresh_from_db()
    assert (ticket.attendee_name, ticket.holder_email) == ("Sam Okafor", "sam@example.com")
    assert ticket.code != code
    assert OutgoingMail.objects.filter(template="ticket_transferred", recipient="sam@example.com").exists()
    assert 'value="Sam Okafor"' in admin_client.get(rename).content.decode()
    assert admin_client.post(rename, {"name": " "}).status_code == 422
    admin_client.post(rename, {"name": "Samira Okafor"})
    admin_client.post(f"{ATTENDEES}void/{ticket.pk}/")
    ticket.refresh_from_db()
    assert (ticket.attendee_name, ticket.status) == ("Samira Okafor", "void")
    assert offered(admin_client, ticket) == set()
    assert "This ticket was already void." in admin_client.post(f"{ATTENDEES}void/{ticket.pk}/", follow=True).content.decode()


def test_the_list_filters_searches_and_exports(admin_client: Client) -> None:
    event = make_sales(adult(), adult(name="Student"), repeat=WEEKLY, values={"asks_names": True})
    dates = starts(event)
    evil = {"attendees": [{"name": "=cmd|calc"}, {"name": "Noa"}]}
    first = paid_order(event, dates[0], Adult=1, Student=1, buyer_values=evil)
    second = paid_order(event, dates[1], buyer_values={"email": "ruth@example.com", "attendees": [{"name": "Ruth"}]})
    adult_ticket, student = first.tickets.order_by("pk")
    (other,) = second.tickets.all()
    AttendeeTicket.objects.filter(pk=student.pk).update(status="void")

    def shown(**query: Any) -> set[int]:
        answer = admin_client.get(ATTENDEES, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {adult_ticket.pk, student.pk, other.pk}
    assert shown(status="admits") == {adult_ticket.pk, other.pk}
    assert shown(status="void") == {student.pk}
    assert shown(event=event.pk, start=dates[1]) == {other.pk}
    assert shown(event=event.pk, ticket_type=type_of(event, "Student").pk) == {student.pk}
    assert shown(q=f"{other.code[:4].lower()} {other.code[4:]}") == shown(q="ruth@example.com") == {other.pk}
    for hostile in ({"start": "\0"}, {"ticket_type": "9" * 30}, {"q": "\0"}, {"q": "ABCDEF\0H"}, {"status": "\0"}):
        assert admin_client.get(ATTENDEES, hostile).status_code == 200, hostile
    lines = admin_client.get(ATTENDEES, {"export": "csv", "start": dates[0]}).getvalue().decode().splitlines()
    assert lines[0].startswith("Name,Email,Ticket type,Code,Event,Date,Status,")
    assert any(line.startswith("'=cmd|calc,dana@example.com,Adult,") for line in lines)
    assert len(lines) == 3


def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    event = make_sales()
    paid_order(event)
    few = statements(admin_client, ATTENDEES)
    paid_order(event, Adult=4)
    assert statements(admin_client, ATTENDEES) <= few
    assert statements(admin_client, f"{ATTENDEES}?event={event.pk}") <= few + 6


def test_who_may_do_what(client: Client) -> None:
    ticket = ticket_of(make_order(make_sales(adult(pricing="free"))))
    paths = (ATTENDEES, f"{ATTENDEES}door/", *(f"{ATTENDEES}{page}/{ticket.pk}/" for page in ("inspect", "transfer", "void")))
    client.force_login(people.bob())
    for path in paths:
        assert client.get(path).status_code == 302, path
    client.force_login(people.mallory_manager())
    for path in paths:
        assert client.get(path).status_code == 200, path
