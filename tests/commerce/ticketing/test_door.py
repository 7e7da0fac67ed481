"""The door: codes and their answers with and without scripts, counts, and the list on paper."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.content.services.items import update_item
from commerce.ticketing.models import AttendeeTicket, Scan
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from tests import people

from .admin_builders import ATTENDEES, statements, ticket_of
from .builders import WEEKLY, adult, first_start, make_event, make_sales, paid_order, starts


def door(event: Any, start: str = "") -> str:
    return f"{ATTENDEES}door/{event.pk}/" + (f"?start={start}" if start else "")


def shown(client: Client, event: Any, code: str, nonce: str = "", start: str = "", part: bool = True) -> tuple[str, str]:
    """The tone and the title of the answer to a code."""
    headers = {"X-Door": "part"} if part else {}
    answer = client.post(door(event, start), {"code": code, "nonce": nonce}, headers=headers)
    assert answer.status_code == 200
    assert ("X-Door" in answer.headers) == part
    verdict = answer.context["verdict"]
    assert verdict.title in answer.content.decode()
    return verdict.tone, verdict.title


def _full_width(code: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) for each in code)


@pytest.mark.both_databases
def test_it_works(admin_client: Client) -> None:
    event = make_sales(title="Quartet")
    order = paid_order(event, Adult=2)
    ticket = ticket_of(order)
    page = admin_client.get(door(event)).content.decode()
    for words in ("Ticket code", "autofocus", "<strong>0</strong> of 2 checked in", "Print the list"):
        assert words in page, words
    assert shown(admin_client, event, f" {ticket.code[:4].lower()}-{ticket.code[4:]} ") == ("good", "Checked in")
    ticket.refresh_from_db()
    assert ticket.status == "checked_in"
    typed = f"{ticket.code[:4]}\N{EN DASH}{ticket.code[4:].lower()}\N{NO-BREAK SPACE}"
    for again in (ticket.code, typed, _full_width(ticket.code)):
        assert shown(admin_client, event, again) == ("good", "Checked in just now")
    AttendeeTicket.objects.filter(pk=ticket.pk).update(checked_in_at=timezone.now() - timezone.timedelta(minutes=5))
    tone, title = shown(admin_client, event, ticket.code)
    assert tone == "careful"
    assert title.startswith("Already checked in ")
    assert title.endswith(" by alice@example.com")
    page = admin_client.get(door(event)).content.decode()
    assert "<strong>1</strong> of 2 checked in" in page
    assert '<th scope="row">Adult</th><td>1</td><td>2</td>' in page


def test_other_codes_are_refused(admin_client: Client) -> None:
    event, other = make_sales(repeat=WEEKLY), make_sales(title="Trio")
    first, second = starts(event)[:2]
    order, elsewhere, later = paid_order(event, first, Adult=2), paid_order(other), paid_order(event, second)
    void, given = order.tickets.order_by("pk")
    void_tickets(order=order, tickets=[void.pk])
    transfer_ticket(ticket=given, name="Sam", email="sam@example.com")
    expected = {
        void.code: "Void",
        given.code: "Replaced by another ticket",
        ticket_of(elsewhere).code: "For another event or date",
        ticket_of(later).code: "For another event or date",
        "ABCDEFGH": "Unknown code",
        "\N{LATIN SMALL LETTER SHARP S}" * 300: "Unknown code",
        "AB\0CDEFG": "Unknown code",
        "<script>": "Unknown code",
    }
    for code, title in expected.items():
        assert shown(admin_client, event, code, start=first) == ("stop", title), code
    assert shown(admin_client, event, "  \0 ", start=first) == ("careful", "Enter a code")
    assert not AttendeeTicket.objects.filter(status="checked_in").exists()
    page = admin_client.post(door(event, first), {"code": "<script>"}).content.decode()
    assert "&lt;script&gt;" in page.lower()


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_a_date_that_moves_while_people_are_let_in(admin_client: Client, repeat: Any) -> None:
    """The doors open late: the pages that are open at the entrance go on, with the former start in their addresses."""
    event = make_sales(repeat=repeat)
    start = starts(event)[0]
    order = paid_order(event, start, Adult=2)
    first, second = order.tickets.order_by("pk")
    assert shown(admin_client, event, first.code, start=start) == ("good", "Checked in")
    value = {**event.data["event_date"], "start": start.replace("18:30", "19:15")}
    update_item(item=event, values={"data": {"event_date": value}})
    assert shown(admin_client, event, second.code, start=start) == ("good", "Checked in")
    assert "<strong>2</strong> of 2 checked in" in admin_client.get(door(event, start)).content.decode()


def test_a_scan_that_is_sent_again_has_the_same_answer(admin_client: Client) -> None:
    event = make_sales()
    code = ticket_of(paid_order(event)).code
    assert shown(admin_client, event, code, nonce="one", part=False) == ("good", "Checked in")
    # The page is loaded again.
    assert shown(admin_client, event, code, nonce="one", part=False) == ("good", "Checked in")
    assert Scan.objects.count() == 1
    assert shown(admin_client, event, code, nonce="x" * 500) == ("good", "Checked in just now")


def test_a_check_in_is_undone(admin_client: Client) -> None:
    event = make_sales()
    ticket = ticket_of(paid_order(event))
    answer = admin_client.post(door(event), {"code": ticket.code, "nonce": "one"})
    verdict, here = answer.context["verdict"], answer.context["here"]
    back = admin_client.post(verdict.undo_url, {"next": here})
    assert (back.status_code, back["Location"]) == (302, here)
    ticket.refresh_from_db()
    assert ticket.status == "valid"


def test_dates_are_chosen(admin_client: Client) -> None:
    event = make_sales(repeat=WEEKLY, title="Choir")
    first, second = starts(event)[:2]
    ticket = ticket_of(paid_order(event, second))
    page = admin_client.get(door(event))
    assert page.context["start"] == first
    assert second in page.content.decode()
    assert shown(admin_client, event, ticket.code) == ("stop", "For another event or date")
    assert shown(admin_client, event, ticket.code, start=second) == ("good", "Checked in")
    for wrong in ("2020-01-01T10:00:00", "x", "\0", "9999-99-99"):
        assert admin_client.get(f"{ATTENDEES}door/{event.pk}/", {"start": wrong}).status_code == 404, wrong
    unsold = make_event(title="Trio")
    for path in (door(unsold), f"{ATTENDEES}door/999999/", f"{ATTENDEES}door-list/999999/"):
        assert admin_client.get(path).status_code == 404
    page = admin_client.get(f"{ATTENDEES}door/").content.decode()
    assert page.count("Choir") >= 4
    assert "Trio" not in page


def test_the_camera_is_only_allowed_at_the_door(admin_client: Client) -> None:
    event = make_sales()
    assert "camera=(self)" in admin_client.get(door(event)).headers["Permissions-Policy"]
    assert "camera=()" in admin_client.get(ATTENDEES).headers["Permissions-Policy"]


def test_the_list_is_printed(admin_client: Client) -> None:
    event = make_sales(adult(), adult(name="<b>Student</b>"), title="Quartet & more", values={"asks_names": True})
    names = {"attendees": [{"name": "Zoe"}, {"name": "<i>Ada</i>"}]}
    order = paid_order(event, buyer_values=names, **{"Adult": 1, "<b>Student</b>": 1})
    void = paid_order(event, buyer_values={"attendees": [{"name": "Void Person"}]})
    void_tickets(order=void, tickets=[ticket_of(void).pk])
    AttendeeTicket.objects.filter(attendee_name="Zoe").update(status="checked_in", checked_in_at=timezone.now())
    path = f"{ATTENDEES}door-list/{event.pk}/?start={first_start(event)}"
    page = b"".join(admin_client.get(path)).decode()  # type: ignore[arg-type]
    assert "Quartet &amp; more" in page
    assert page.index("&lt;i&gt;Ada&lt;/i&gt;") < page.index("Zoe")
    assert "&lt;b&gt;Student&lt;/b&gt;" in page
    assert "Void Person" not in page
    assert (page.count("☑"), page.count("☐")) == (1, 1)
    assert ticket_of(order).code[:4] in page


@pytest.mark.both_databases
def test_it_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    event = make_sales()
    paid_order(event)
    paths = (door(event), f"{ATTENDEES}door-list/{event.pk}/", f"{ATTENDEES}door/")
    few = [statements(admin_client, path) for path in paths]
    for _ in range(2):
        paid_order(event, Adult=5)
        make_sales()
    assert [statements(admin_client, path) for path in paths] <= few


def test_who_may_do_what(client: Client) -> None:
    event = make_sales()
    code = ticket_of(paid_order(event)).code
    client.force_login(people.bob())
    for path in (door(event), f"{ATTENDEES}door-list/{event.pk}/"):
        assert client.get(path).status_code == 302, path
    assert client.post(door(event), {"code": code}).status_code == 302
    assert not Scan.objects.exists()
    client.force_login(people.mallory_manager())
    assert shown(client, event, code) == ("good", "Checked in")
