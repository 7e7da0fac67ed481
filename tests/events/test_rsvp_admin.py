"""RSVPs in the admin: who comes, how many they are, and calling off for somebody."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from events.models import Rsvp
from events.services.capacity import set_capacity
from events.services.rsvps import cancel
from tests import people

from .guests import WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on")]

LIST = "/admin/events/rsvps/"
NAMES = ("Dana", "Ömer", "Ruth")


def shown(client: Client, query: str = "") -> set[str]:
    """Which of the names stand in the list."""
    page = client.get(LIST + query).content.decode()
    return {name for name in NAMES if f"{name} R." in page}


def headcount(client: Client, query: str = "") -> str:
    found = re.search(r"Headcount: ([^<]*</strong>[^<]*)", client.get(LIST + query).content.decode())
    return found[1].replace("</strong>", "").strip() if found else ""


@pytest.fixture
def replies() -> list[Rsvp]:
    """Of three people: two for two dates of a series, and one, cancelled, for another event."""
    series, single = make_event(repeat=WEEKLY, title="Choir"), make_event(title="Fair")
    first, second, *_ = starts(series)
    dana = make_reply(series, first, name="Dana R.", email="dana@example.org", party_size=2)
    omer = make_reply(series, second, name="Ömer R.", email="omer@example.com", party_size=5)
    ruth = make_reply(single, name="Ruth R.", email="ruth@example.org", party_size=11)
    cancel(rsvp=ruth)
    return [dana, omer, ruth]


def test_it_works(admin_client: Client, replies: list[Rsvp]) -> None:
    page = admin_client.get(LIST).content.decode()
    for said in ("Dana R.", "dana@example.org", "Choir", "6:30\xa0PM", "Going", "RSVPs", "Download CSV"):
        assert said in page
    assert "Ruth R." not in page
    assert headcount(admin_client) == "7"


@pytest.mark.both_databases
def test_filters_and_search(admin_client: Client, replies: list[Rsvp]) -> None:
    dana, omer, ruth = replies
    assert shown(admin_client) == {"Dana", "Ömer"}
    assert shown(admin_client, "?cancelled=1") == set(NAMES)
    assert shown(admin_client, "?cancelled=only") == {"Ruth"}
    assert shown(admin_client, f"?event={dana.event_id}") == {"Dana", "Ömer"}
    assert shown(admin_client, f"?event={dana.event_id}&occurrence={omer.occurrence_id}") == {"Ömer"}
    assert shown(admin_client, f"?occurrence={dana.occurrence_id}") == {"Dana"}
    assert shown(admin_client, f"?event={ruth.event_id}") == set()
    assert shown(admin_client, "?q=ömer") == {"Ömer"}
    assert shown(admin_client, "?q=EXAMPLE.org") == {"Dana"}
    assert shown(admin_client, "?q=dana+example") == {"Dana"}
    for odd in ("?event=x&occurrence=99999999999999999999&cancelled=x", "?q=%00", "?p=x", "?ordering=x", "?event=٣"):
        assert admin_client.get(LIST + odd).status_code in {200, 302, 404}, odd


def test_the_waiting_list(admin_client: Client, replies: list[Rsvp]) -> None:
    dana, omer, _ = replies
    set_capacity(event=dana.event, places=5)
    make_reply(dana.event, omer.occurrence_start, name="Ruth R.", email="waits@example.org", party_size=3)
    assert shown(admin_client) == set(NAMES)
    assert headcount(admin_client) == "7, 3 waiting"
    assert shown(admin_client, "?cancelled=waiting") == {"Ruth"}
    assert shown(admin_client, "?cancelled=going") == {"Dana", "Ömer"}
    waiting = Rsvp.objects.get(email="waits@example.org")
    cancel(rsvp=waiting)
    page = admin_client.post(f"{LIST}reinstate/{waiting.pk}/", follow=True).content.decode()
    assert "RSVP of Ruth R. is on the waiting list: there are not enough places." in page
    page = admin_client.post(f"{LIST}cancel/{omer.pk}/", follow=True).content.decode()
    assert "cancelled. They have been emailed." in page
    assert headcount(admin_client, "?cancelled=going") == "5"
    lines = b"".join(admin_client.get(f"{LIST}?export=csv&cancelled=1").streaming_content).decode().splitlines()
    assert sorted(line.split(",")[5] for line in lines[1:]) == ["cancelled", "cancelled", "going", "going"]


def test_the_headcount_is_of_what_is_listed(admin_client: Client, replies: list[Rsvp]) -> None:
    omer = replies[1]
    assert headcount(admin_client, f"?occurrence={omer.occurrence_id}") == "5"
    assert headcount(admin_client, "?q=dana") == "2"
    assert headcount(admin_client, "?cancelled=1") == "7, 11 cancelled"
    assert headcount(admin_client, "?q=nobody-at-all") in {"", "0"}
    assert "Headcount: 5" in admin_client.get(f"{LIST}results/?occurrence={omer.occurrence_id}").content.decode()


def test_the_dates_to_choose_from_are_those_of_the_event(admin_client: Client, replies: list[Rsvp]) -> None:
    dana, omer, _ = replies
    page = admin_client.get(f"{LIST}?event={dana.event_id}").content.decode()
    offered = re.findall(r'<option value="(\d+)"', page.partition('name="occurrence"')[2].partition("</select>")[0])
    assert offered == [str(dana.occurrence_id), str(omer.occurrence_id)]


def test_a_cancelled_date_is_told(admin_client: Client, replies: list[Rsvp]) -> None:
    assert "Date cancelled" not in admin_client.get(LIST).content.decode()
    event = ContentItem.objects.get(pk=replies[0].event_id)
    update_item(item=event, values={"data": {"event_date": {"start": soon(), "tz": "Europe/Paris"}}})
    page = admin_client.get(LIST).content.decode()
    assert page.count("Date cancelled") == 1
    assert len(mails()) == 3


def test_calling_off_and_putting_back(admin_client: Client, replies: list[Rsvp]) -> None:
    dana = replies[0]
    back = f"{LIST}?event={dana.event_id}"
    assert f'action="{LIST}cancel/{dana.pk}/"' in admin_client.get(LIST).content.decode()
    assert admin_client.get(f"{LIST}cancel/{dana.pk}/").status_code == 302
    dana.refresh_from_db()
    assert dana.status == "going"
    answer = admin_client.post(f"{LIST}cancel/{dana.pk}/", {"next": back})
    assert answer.headers["Location"] == back
    dana.refresh_from_db()
    assert dana.status == "cancelled"
    assert [mail.recipient for mail in mails("event_rsvp_cancelled")] == ["ruth@example.org", "dana@example.org"]
    again = admin_client.post(f"{LIST}cancel/{dana.pk}/", {"next": "https://elsewhere.example/"}, follow=True)
    assert "This RSVP was already cancelled." in again.content.decode()
    assert f'action="{LIST}reinstate/{dana.pk}/"' in admin_client.get(f"{LIST}?cancelled=only").content.decode()
    admin_client.post(f"{LIST}reinstate/{dana.pk}/")
    dana.refresh_from_db()
    assert dana.status == "going"
    assert admin_client.post(f"{LIST}cancel/999999/").status_code == 404


def test_who_cannot_come_back_is_told_why(admin_client: Client, replies: list[Rsvp]) -> None:
    ruth = replies[2]
    update_item(item=ruth.event, values={"data": {"event_date": {"start": soon(-4), "tz": "Europe/Paris"}}})
    page = admin_client.post(f"{LIST}reinstate/{ruth.pk}/", follow=True).content.decode()
    assert "This date has passed." in page


def test_managers_may(sign_in: Callable[[Any], Client], replies: list[Rsvp]) -> None:
    client = sign_in(people.mallory_manager())
    assert shown(client) == {"Dana", "Ömer"}
    assert client.post(f"{LIST}cancel/{replies[0].pk}/").headers["Location"] == LIST
    assert "RSVP of Dana R. cancelled." in client.get(LIST).content.decode()
    assert shown(client) == {"Ömer"}
    assert "events/rsvps" in client.get("/admin/").content.decode()


def test_editors_and_strangers_may_not(sign_in: Callable[[Any], Client], replies: list[Rsvp]) -> None:
    for client in (Client(), sign_in(people.charlie()), sign_in(people.bob())):
        for path in (LIST, f"{LIST}results/", f"{LIST}?export=csv"):
            assert client.get(path).status_code in {302, 403}
        assert client.post(f"{LIST}cancel/{replies[0].pk}/").status_code in {302, 403}
    replies[0].refresh_from_db()
    assert replies[0].status == "going"


def test_editors_see_no_trace_of_them(sign_in: Callable[[Any], Client], replies: list[Rsvp]) -> None:
    editor = sign_in(people.bob())
    cancel(rsvp=replies[0], user=people.alice())
    event = replies[0].event_id
    for path in ("", "reports/site-history/", f"content/items/edit/{event}/", f"content/items/history/{event}/"):
        page = editor.get(f"/admin/{path}")
        assert page.status_code == 200
        for trace in ("events/rsvps", "Dana R.", "dana@example.org", "RSVPs", "coming<"):
            assert trace not in page.content.decode(), (path, trace)


def test_nobody_makes_or_deletes_one_by_hand(admin_client: Client, replies: list[Rsvp]) -> None:
    for path in ("new/", "add/", f"edit/{replies[0].pk}/", f"delete/{replies[0].pk}/"):
        assert admin_client.post(LIST + path).status_code == 404


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 5):
        event = make_event(repeat=WEEKLY)
        for index in range(number):
            make_reply(event, starts(event)[index % 3], email=f"{number}.{index}@example.org")
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            admin_client.get(LIST)
        found.append(len(captured))
    assert found[0] == found[1]
