"""The page of an event's dates in the admin: for editors too, without what they may not see."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import ModelLogEntry

from cms_api.content.models import ContentItem
from cms_api.content.services.items import save_draft
from cms_api.flags.services import switch_feature
from events.models import Capacity, DateChange
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests import people
from tests.builders import field, make_item, make_type

from .guests import WEEKLY, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on")]


def path(item: ContentItem) -> str:
    return f"/admin/events/dates/{item.pk}/"


def post(client: Client, item: ContentItem, change: str, start: str = "", **more: str) -> str:
    answer = client.post(path(item), {"change": change, "start": start, **more}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def rows(html: str) -> list[str]:
    """The text of each row, without what only screen readers read."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    body = re.sub('<span class="w-sr-only">[^<]*</span>', "", body)
    return [" ".join(re.sub("<[^>]+>", " ", row).split()) for row in re.findall("<tr>.*?</tr>", body, re.DOTALL)]


def test_it_works(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    _, second, third, _ = starts(event)
    make_reply(event, third, party_size=4)
    edit = admin_client.get(f"/admin/content/items/edit/{event.pk}/").content.decode()
    assert f'href="{path(event)}"' in edit
    first_row, second_row, third_row, _ = rows(admin_client.get(path(event)).content.decode())
    assert "Skip" in first_row
    assert "Scheduled 0" in second_row
    assert "Scheduled 4" in third_row
    assert "Date skipped." in post(admin_client, event, "skip", second)
    html = post(admin_client, event, "cancel", third)
    assert "Date cancelled." in html
    assert "Skipped" in rows(html)[1]
    assert "Restore" in rows(html)[1]
    assert "Cancelled 4 Restore" in rows(html)[2]
    for start in (second, third):
        assert "Date restored." in post(admin_client, event, "restore", start)
    assert not DateChange.objects.exists()
    history = admin_client.get(f"/admin/content/items/history/{event.pk}/").content.decode()
    assert f"Skipped the date {second}" in history
    assert f"Cancelled the date {third}" in history


def test_cancelling_a_date_says_how_many_guests_are_notified(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    _, second, third, _ = starts(event)
    make_reply(event, second, party_size=1)
    make_reply(event, third, email="last@example.org", party_size=4)
    first_row, second_row, third_row, _ = rows(admin_client.get(path(event)).content.decode())
    assert "Visitors see that this date is cancelled. Yes, cancel it" in first_row
    assert "1 guest is emailed." in second_row
    assert "4 guests are emailed." in third_row


def test_places(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    second = starts(event)[1]
    assert "Places saved." in post(admin_client, event, "places", places="30")
    html = post(admin_client, event, "places", second, places="5")
    assert dict(Capacity.objects.values_list("start", "places")) == {"": 30, second: 5}
    assert re.search(r'id="dates-places" name="places" value="30"', html)
    assert re.search(r'name="places" value="5"[^>]*placeholder="30"', html)
    assert "must be a whole number" in post(admin_client, event, "places", places="-1")
    assert "No change" in post(admin_client, event, "places", places="30")
    post(admin_client, event, "places", places="")
    assert Capacity.objects.get().start == second
    assert ModelLogEntry.objects.filter(action="events.set_capacity").count() == 3


def test_editors_manage_dates_but_see_no_rsvps(sign_in: Callable[[Any], Client]) -> None:
    client, event = sign_in(people.bob()), make_event(repeat=WEEKLY)
    second = starts(event)[1]
    make_reply(event, second, party_size=4)
    html = client.get(path(event)).content.decode()
    assert "Coming" not in html
    assert "Scheduled" in html
    assert "Date cancelled." in post(client, event, "cancel", second)
    assert "Places saved." in post(client, event, "places", places="3")


def test_others_are_turned_away(sign_in: Callable[[Any], Client], client: Client) -> None:
    event, other = make_event(repeat=WEEKLY), people.charlie()
    other.user_permissions.add(Permission.objects.get(codename="access_admin"))
    assert client.get(path(event)).status_code == 302
    for answer in (sign_in(other).get(path(event)), sign_in(other).post(path(event), {"change": "skip"})):
        assert (answer.status_code, answer.headers.get("Location")) == (302, "/admin/")
    other.user_permissions.add(Permission.objects.get(codename="change_contentitem"))
    assert sign_in(other).get(path(event)).status_code == 200
    post(sign_in(other), event, "cancel", starts(event)[1])
    assert not DateChange.objects.exists()


def test_wrong_input(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[0])
    assert "People are coming" in post(admin_client, event, "skip", starts(event)[0])
    for start in ("", "x", "\0", "9" * 5000):
        assert "Choose one of the dates." in post(admin_client, event, "skip", start)
    assert admin_client.post(path(event), {"change": "x"}).status_code == 404
    assert admin_client.get("/admin/events/dates/999999/").status_code == 404
    row = ContentItem.objects.filter(owner=event)[0]
    assert admin_client.get(path(row)).status_code == 404
    for page in ("x", "-1", "99999999999999999999"):
        assert admin_client.get(path(event), {"p": page}).status_code == 200
    assert admin_client.put(path(event)).status_code == 405


def test_other_types_have_dates_but_no_places(admin_client: Client) -> None:
    event = make_event()
    kind = make_type(field("at", "datetime", facet=True), slug="gatherings")
    item = make_item(kind, data={"at": {"start": soon(), "tz": "Europe/Paris", "repeat": WEEKLY}})
    switch_feature(name="events", on=False)
    html = admin_client.get(path(item)).content.decode()
    assert len(rows(html)) == 4
    assert "Places" not in html
    assert admin_client.post(path(item), {"change": "places", "places": "3"}).status_code == 404
    start = ContentItem.objects.filter(owner=item)[0].data["at"]["start"]
    assert "Date skipped." in post(admin_client, item, "skip", start)
    plain = make_item(make_type(slug="notes"), title="Note")
    assert admin_client.get(path(plain)).status_code == 404
    assert admin_client.get(path(event)).status_code == 404


def test_a_single_date_has_the_places_of_the_event(admin_client: Client) -> None:
    html = admin_client.get(path(make_event())).content.decode()
    assert html.count('name="places"') == 1
    assert "Skip<" not in html
    assert "Cancel date" in html


@pytest.mark.both_databases
def test_long_series_have_pages_of_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for count in (3, 60):
        event = make_event(repeat={"frequency": "weekly", "count": count})
        make_reply(event, starts(event)[1], email=f"{count}@example.org")
        admin_client.get(path(event))
        with CaptureQueriesContext(connection) as captured:
            html = admin_client.get(path(event)).content.decode()
        found.append(len(captured))
    assert found[0] == found[1]
    assert len(rows(html)) == 25
    assert "Page 1 of 3" in html
    answer = admin_client.post(path(event), {"change": "skip", "start": starts(event)[30], "p": "2"})
    assert answer.headers["Location"] == f"{path(event)}?p=2"


def test_a_draft_has_its_dates_as_the_site_shows_them(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    save_draft(item=event, values={"data": {"event_date": {"start": soon(), "tz": "Europe/Paris", "repeat": None}}})
    assert len(rows(admin_client.get(path(event)).content.decode())) == 4


def test_the_preview_marks_changed_dates(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    _, second, third, _ = starts(event)
    change_date(item=event, start=second, status=DateStatus.SKIPPED)
    change_date(item=event, start=third, status=DateStatus.CANCELLED)
    html = admin_client.get(f"/admin/content/items/edit/{event.pk}/").content.decode()
    listed = html.partition('<ol class="events-preview__dates"')[2].partition("</ol>")[0].split("</li>")
    assert [re.findall("(Skipped|Cancelled)[.]", line) for line in listed[:4]] == [[], ["Skipped"], ["Cancelled"], []]
    assert "stay as they are" in html
