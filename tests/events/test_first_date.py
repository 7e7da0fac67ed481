"""The first date of a series, which is the item itself: skipped or cancelled like the others, and passed over in lists."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.resources.cards import make_cards
from cms_api.content.services.items import update_item
from cms_api.core.errors import Invalid
from cms_api.http import page_cache
from events.admin.cards import next_dates
from events.selectors.dates import coming_up
from events.selectors.rsvps import offered_dates
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests.builders import make_page
from tests.calendars.calendar_lines import parse
from tests.client import Api
from tests.people import alice

from .guests import WEEKLY, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

SKIPPED, CANCELLED = DateStatus.SKIPPED, DateStatus.CANCELLED


def page(client: Client, path: str) -> str:
    page_cache.clear()
    return client.get(path).content.decode()


def shown_days(html: str) -> list[str]:
    """The days in the main part of a page, in order."""
    return re.findall(r'<time datetime="([0-9-]{10})', html.partition("<main")[2])


def feed_days(client: Client, path: str) -> dict[str, str]:
    page_cache.clear()
    found = parse(client.get(path).content).all("VEVENT")
    return {each.value("DTSTART")[:8]: each.value("STATUS") for each in found}


def changed(status: DateStatus, *, repeat: Any = WEEKLY) -> tuple[ContentItem, list[str]]:
    """An event whose first date has this status, and the days of its dates."""
    event = make_event(repeat=repeat)
    days = [start[:10] for start in starts(event)]
    assert change_date(item=event, start=starts(event)[0], status=status)
    event.refresh_from_db()
    return event, days


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event, (first, second, *others) = changed(SKIPPED)
    assert len(others) == 2
    assert shown_days(page(client, "/events"))[0] == second
    html = page(client, f"/events/{event.slug}")
    assert first not in html
    assert set(shown_days(html)) == {second, *others}
    assert "Cancelled" not in html
    for path in (f"/calendar/events/{event.slug}.ics", "/calendar/events.ics"):
        assert feed_days(client, path) == {day.replace("-", ""): "CONFIRMED" for day in (second, *others)}
    assert first not in page(client, f"/events/{event.slug}?occurrence={first}T18:30:00")
    start = event.data["event_date"]["start"]
    assert not change_date(item=event, start=start, status=SKIPPED)
    assert change_date(item=event, start=start, status=None)
    assert shown_days(page(client, "/events"))[0] == first
    assert len(feed_days(client, "/calendar/events.ics")) == 4


def test_a_cancelled_one_is_shown_as_cancelled_beside_the_next(client: Client) -> None:
    event, (first, second, *_) = changed(CANCELLED)
    assert shown_days(page(client, "/events"))[0] == second
    html = page(client, f"/events/{event.slug}")
    assert "Cancelled" in html
    assert first in html
    assert feed_days(client, "/calendar/events.ics")[first.replace("-", "")] == "CANCELLED"
    assert change_date(item=event, start=event.data["event_date"]["start"], status=SKIPPED)
    assert first not in page(client, f"/events/{event.slug}")


@pytest.mark.parametrize("status", [SKIPPED, CANCELLED])
@pytest.mark.both_databases
def test_every_list_shows_the_next_date(client: Client, status: DateStatus) -> None:
    event, (first, second, *_) = changed(status)
    (item,), _ = coming_up([event.type], timezone.now(), 3)
    assert item.data["event_date"]["start"][:10] == second
    row = make_page({"type": "item_list", "value": {"heading": "", "type": "events", "count": 3, "layout": "fill"}})
    for path in (f"/{row.slug}/", "/search?q=rehearsal"):
        html = page(client, path)
        assert second in html
        assert first not in html
    request = RequestFactory().get("/")
    request.user = alice()
    assert next(card.at.date().isoformat() for card in next_dates(request) if card.at) == second
    assert offered_dates(event, 9)[0].data["event_date"]["start"][:10] == second


@pytest.mark.both_databases
def test_cards_cost_one_statement_more_for_all_of_them() -> None:
    costs = []
    for count in (0, 1, 5):
        for _ in range(count):
            changed(CANCELLED)
        items = list(ContentItem.objects.filter(owner=None).select_related("featured_media__mediaimage"))
        with CaptureQueriesContext(connection) as captured:
            make_cards(items)
        costs.append(len(captured))
    assert costs[1:] == [costs[0] + 1] * 2


def test_the_month_has_a_cancelled_one_but_no_skipped_one(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    start = starts(event)[0]
    path = f"/events?view=calendar&month={start[:7]}"
    cell = f'<td[^>]*data-date="{start[:10]}".*?</td>'

    def entries() -> str:
        found = re.search(cell, page(client, path), re.DOTALL)
        assert found
        return found[0]

    assert "Open rehearsal" in entries()
    change_date(item=event, start=start, status=CANCELLED)
    assert "Cancelled" in entries()
    change_date(item=event, start=start, status=SKIPPED)
    assert "Open rehearsal" not in entries()


def test_the_rule_still_begins_with_it(api: Api) -> None:
    event, days = changed(SKIPPED)
    value = api.data(f"/content-items/{event.pk}")["fields"]["event_date"]
    assert (value["start"][:10], value["cancelled"], value["repeat"]["count"]) == (days[0], True, 4)
    assert "skipped" not in value
    owned = api.data(f"/content-items?type=events&include_owned=1&owner_id={event.pk}")
    assert sorted(each["fields"]["event_date"]["start"][:10] for each in owned) == days[1:]


def test_edits_keep_it_skipped_until_the_series_begins_with_another_one() -> None:
    event, _ = changed(SKIPPED)
    date = {"start": soon(), "end": None, "tz": "Europe/Paris", "repeat": {**WEEKLY, "count": 6}}
    update_item(item=event, values={"data": {"venue": "The barn"}})
    update_item(item=event, values={"data": {"event_date": date}})
    assert ContentItem.objects.get(pk=event.pk).data["event_date"]["skipped"]
    update_item(item=event, values={"data": {"event_date": {**date, "start": soon(8)}}})
    assert ContentItem.objects.get(pk=event.pk).data["event_date"]["skipped"]
    update_item(item=event, values={"data": {"event_date": {**date, "start": soon(15), "repeat": {**WEEKLY, "count": 5}}}})
    later = ContentItem.objects.get(pk=event.pk).data["event_date"]
    assert not {"skipped", "cancelled"} & later.keys()


def test_the_only_date_that_is_left_is_cancelled_instead(client: Client) -> None:
    event, days = changed(SKIPPED)
    update_item(item=event, values={"data": {"event_date": {"start": soon(), "tz": "Europe/Paris", "repeat": None}}})
    value = ContentItem.objects.get(pk=event.pk).data["event_date"]
    assert (value["cancelled"], "skipped" in value) == (True, False)
    html = page(client, "/events")
    assert shown_days(html) == days[:1]
    assert "Cancelled" in html


def test_a_series_without_a_date_that_takes_place_stays_at_its_own(client: Client) -> None:
    event, days = changed(CANCELLED)
    for start in starts(event)[1:]:
        change_date(item=event, start=start, status=CANCELLED)
    html = page(client, "/events")
    assert shown_days(html)[0] == days[0]
    assert "Cancelled" in html


def test_replies_to_it_are_refused() -> None:
    event, _ = changed(SKIPPED)
    with pytest.raises(Invalid):
        make_reply(event, event.data["event_date"]["start"])
    assert make_reply(event, starts(event)[1])


def test_the_admin_skips_and_restores_it(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    path, start = f"/admin/events/dates/{event.pk}/", starts(event)[0]

    def post(change: str) -> str:
        html = admin_client.post(path, {"change": change, "start": start}, follow=True).content.decode()
        return re.sub("<[^>]+>", " ", html.partition("<tbody>")[2].partition("</tr>")[0])

    assert "Skipped" in post("skip")
    html = admin_client.get(f"/admin/content/items/edit/{event.pk}/").content.decode()
    listed = html.partition('<ol class="events-preview__dates"')[2].partition("</ol>")[0].split("</li>")
    assert [re.findall("(Skipped|Cancelled)[.]", line) for line in listed[:2]] == [["Skipped"], []]
    assert "Scheduled" in post("restore")
