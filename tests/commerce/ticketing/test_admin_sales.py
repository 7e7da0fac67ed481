"""Ticket sales in the admin: the list with its numbers, and the form with its rows."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from commerce.ticketing.models import Quota, TicketSales, TicketType
from commerce.ticketing.services.sales import save_sales
from tests import people

from .admin_builders import SALES, sales_form, statements, ticket_of
from .builders import WEEKLY, adult, make_event, make_sales, paid_order, starts, type_of


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    event = make_event(title="Quartet")
    values = sales_form(
        {"name": "Adult", "price_cents": "32.50", "quota": "Hall", "description": "At the table"},
        {
            "name": "Student",
            "pricing": "open",
            "price_cents": "5",
            "suggested_cents": "8",
            "size": "20",
            "access_code": "learn-1",
        },
        quotas=[{"name": "Hall", "size": "120"}],
        questions=[{"label": "Diet", "key": "", "help_text": ""}],
        event=str(event.pk),
        asks_names="on",
        note="Doors open at seven.",
    )
    assert admin_client.post(f"{SALES}new/", values).status_code == 302
    sales = TicketSales.objects.get()
    assert (sales.asks_names, sales.note, sales.questions[0]["key"]) == (True, "Doors open at seven.", "diet")
    adult_type, student = TicketType.objects.order_by("position")
    assert (adult_type.price_cents, adult_type.quota, adult_type.is_offered) == (3250, Quota.objects.get(), True)
    assert (student.price_cents, student.suggested_cents, student.size, student.access_code) == (500, 800, 20, "LEARN1")
    page = admin_client.get(f"{SALES}edit/{event.pk}/").content.decode()
    for words in ("32.50", "At the table", "Doors open at seven.", "Message attendees", "Open event"):
        assert words in page, words


def test_edited_rows_keep_their_records(admin_client: Client) -> None:
    event = make_sales(adult(quota="Hall"), adult(name="Student"), quotas=[{"name": "Hall", "size": 50}])
    first, second = type_of(event), type_of(event, "Student")
    hall = Quota.objects.get()
    path = f"{SALES}edit/{event.pk}/"
    values = sales_form(
        {"id": second.pk, "name": "Student", "price_cents": "18", "is_offered": None},
        {"id": first.pk, "name": "Grown-up", "quota": "Great hall"},
        {"id": "0b5d7a3e-5f2d-4b1e-9d1c-000000000001", "name": "Child", "pricing": "free", "price_cents": ""},
        quotas=[{"id": hall.pk, "name": "Great hall", "size": "60"}],
    )
    assert admin_client.post(path, values).status_code == 302
    found = list(TicketType.objects.filter(event=event).order_by("position"))
    assert [(each.pk, each.name) for each in found[:2]] == [(second.pk, "Student"), (first.pk, "Grown-up")]
    assert (found[0].is_offered, found[1].quota_id, found[2].name) == (False, hall.pk, "Child")
    assert list(Quota.objects.values_list("pk", "size")) == [(hall.pk, 60)]


def test_a_row_of_another_event_is_a_new_one(admin_client: Client) -> None:
    event, other = make_sales(title="Quartet"), make_sales(title="Trio")
    foreign = type_of(other)
    admin_client.post(f"{SALES}edit/{event.pk}/", sales_form({"id": foreign.pk, "name": "Taken"}))
    foreign.refresh_from_db()
    assert (foreign.name, foreign.event_id) == ("Adult", other.pk)
    assert TicketType.objects.get(event=event).name == "Taken"


def test_refusals_are_shown_in_their_rows(admin_client: Client) -> None:
    event = make_event()
    for wrong, words in (
        ({"price_cents": "much"}, "amount"),
        ({"pricing": "open", "price_cents": "9", "suggested_cents": "5"}, "The suggested price must be at least the minimum."),
        ({"quota": "Nowhere"}, "quota"),
        ({"min_per_order": "5", "max_per_order": "2"}, "between the minimum and"),
        ({"sales_start": "2026-05-02 10:00", "sales_end": "2026-05-01 10:00"}, "The end must be after the start."),
        ({"access_code": "no spaces!"}, "The code must be made of"),
        ({"sales_end": "9999-12-31 23:59"}, "Enter a valid date."),
    ):
        answer = admin_client.post(f"{SALES}new/", sales_form(wrong, event=str(event.pk)))
        assert answer.status_code == 200
        assert list(answer.context["form"].errors) == ["types"]
        assert words in answer.content.decode()
    assert not TicketSales.objects.exists()


def test_hostile_forms_are_refused(admin_client: Client) -> None:
    event = make_event()
    for changes in ({"event": "9" * 30}, {"event": "\0"}, {"event": ""}, {"types-count": "0"}, {"note": "a\nb"}):
        answer = admin_client.post(f"{SALES}new/", {**sales_form({}, event=str(event.pk)), **changes})
        assert answer.status_code == 200, changes
        assert answer.context["form"].errors, changes
    assert admin_client.get(f"{SALES}new/?event=x%00").status_code == 200


def test_types_are_limited_to_one_date(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    second = starts(event)[1]
    page = admin_client.get(f"{SALES}new/?event={event.pk}").content.decode()
    assert "Leave empty for every date." in page
    assert admin_client.post(f"{SALES}new/", sales_form({"start": second}, event=str(event.pk))).status_code == 302
    assert type_of(event).start == second
    single = make_sales(title="Trio")
    assert "Leave empty for every date." not in admin_client.get(f"{SALES}edit/{single.pk}/").content.decode()


def test_only_events_without_sales_can_be_chosen(admin_client: Client) -> None:
    sold, free = make_sales(title="Sold already"), make_event(title="Still free")
    make_event("2020-01-01T19:00", title="Over")
    answer = admin_client.get(f"{SALES}new/")
    offered = set(answer.context["form"].fields["event"].queryset.values_list("pk", flat=True))
    assert offered == {free.pk}
    assert admin_client.post(f"{SALES}new/", sales_form({}, event=str(sold.pk))).status_code == 200


@pytest.mark.both_databases
def test_the_list_shows_numbers_and_filters(admin_client: Client) -> None:
    quartet = make_sales(title="Quartet")
    order = paid_order(quartet, Adult=2)
    ticket = ticket_of(order)
    type(ticket).objects.filter(pk=ticket.pk).update(status="checked_in", checked_in_at=timezone.now())
    trio = make_event(title="Trio")
    save_sales(event=trio, values={}, quotas=(), types=(adult(is_offered=False),))

    def shown(**query: str) -> list[str]:
        answer = admin_client.get(SALES, query)
        assert answer.status_code == 200
        return sorted(each.event.title for each in answer.context["object_list"])

    found = {each.event.title: each for each in admin_client.get(SALES).context["object_list"]}
    numbers = found["Quartet"]
    assert (numbers.sold, numbers.arrived, numbers.revenue_cents, numbers.state) == (2, 1, 6400, "on_sale")
    assert (found["Trio"].sold, found["Trio"].revenue_cents, found["Trio"].state) == (0, 0, "off")
    assert shown(state="off") == ["Trio"]
    assert shown(q="quar") == ["Quartet"]
    assert shown(state="over") == []
    for hostile in ({"state": "\0"}, {"q": "\0"}, {"state": "x"}):
        assert admin_client.get(SALES, hostile).status_code == 200
    lines = admin_client.get(SALES, {"export": "csv"}).getvalue().decode().splitlines()
    assert len(lines) == 3
    assert any(line.startswith("Quartet,") and ",2,1,64.00," in line for line in lines)


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    make_sales()
    few = statements(admin_client, SALES)
    for _ in range(2):
        paid_order(make_sales())
    assert statements(admin_client, SALES) <= few


def test_sales_are_deleted_unless_something_was_sold(admin_client: Client) -> None:
    sold, unsold = make_sales(), make_sales()
    paid_order(sold)
    for event in (sold, unsold):
        assert admin_client.post(f"{SALES}delete/{event.pk}/", follow=True).status_code == 200
    assert list(TicketSales.objects.values_list("pk", flat=True)) == [sold.pk]


def test_who_may_do_what(client: Client) -> None:
    event: Any = make_sales()
    paths = (SALES, f"{SALES}new/", f"{SALES}edit/{event.pk}/")
    client.force_login(people.bob())
    for path in paths:
        assert client.get(path).status_code == 302, path
    client.force_login(people.mallory_manager())
    assert client.get(SALES).status_code == 200
