"""A series whose first date is cancelled or skipped moves, or begins with such a date: its dates stay what they are."""

from typing import Any

import pytest

from cms_api.content.models import ContentItem
from events.models import DateChange
from events.selectors.rsvps import date_of
from events.services.dates import change_date
from events.types.plans import DateStatus, status_of
from tests.client import Api

from .guests import WEEKLY, make_event, make_reply, soon, starts
from .test_moves import CONFIRMED, MOVED, OFF, check, edit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

FIRST, SECOND = "first@example.org", "second@example.org"
CANCELLED, SKIPPED = DateStatus.CANCELLED, DateStatus.SKIPPED


def series(*, cancelled: int = 0, status: DateStatus = CANCELLED, **repeat: Any) -> ContentItem:
    """A series with two guests; one of the dates is cancelled, or skipped before there are guests."""
    event = make_event(repeat={**WEEKLY, **repeat})
    days = starts(event)
    if status == SKIPPED:
        change_date(item=event, start=days[cancelled], status=status)
    for number, email in enumerate((FIRST, SECOND)):
        if status != SKIPPED or number != cancelled:
            make_reply(event, days[number], email=email)
    if status == CANCELLED:
        change_date(item=event, start=days[cancelled], status=status)
    event.refresh_from_db()
    return event


def statuses(event: ContentItem) -> list[str]:
    event.refresh_from_db()
    rows = ContentItem.objects.filter(owner=event).order_by("starts_at")
    return [status_of(event.data["event_date"]), *("cancelled" if date_of(row).get("cancelled") else "" for row in rows)]


@pytest.mark.parametrize("move", [{"start": soon(7).replace("18:30", "19:00")}, {"start": soon(8)}, {"tz": "Europe/London"}])
@pytest.mark.both_databases
def test_it_works(move: dict[str, Any]) -> None:
    event = series()
    edit(event, **move)
    assert statuses(event) == ["cancelled", "", "", ""]
    check(FIRST, CONFIRMED, OFF)
    check(SECOND, CONFIRMED, MOVED)
    # It can be put back.
    change_date(item=event, start=starts(event)[0], status=None)
    check(FIRST, CONFIRMED, OFF, CONFIRMED)


def test_over_the_api(api: Api) -> None:
    event = series()
    date = {"start": soon(8), "tz": "Europe/Paris", "repeat": WEEKLY}
    answer = api.patch(f"/content-items/{event.pk}", {"data": {"event_date": date}})
    assert answer.json()["data"]["fields"]["event_date"]["cancelled"]
    check(FIRST, CONFIRMED, OFF)


def test_a_series_without_an_end() -> None:
    event = series(count=None)
    edit(event, start=soon(8))
    assert statuses(event)[:3] == ["cancelled", "", ""]
    check(FIRST, CONFIRMED, OFF)


def test_a_skipped_first_date() -> None:
    event = series(status=SKIPPED)
    edit(event, start=soon(8))
    assert statuses(event) == ["skipped", "", "", ""]
    check(SECOND, CONFIRMED, MOVED)


def test_it_begins_with_a_cancelled_date_and_goes_back() -> None:
    event = series(cancelled=1)
    first, second, *_ = starts(event)
    edit(event, start=second, repeat={**WEEKLY, "count": 3})
    # The former first date stays, cancelled, for its guest.
    assert statuses(event) == ["cancelled", "cancelled", "", ""]
    check(SECOND, CONFIRMED, OFF)
    assert not DateChange.objects.exists()
    edit(event, start=first, repeat=WEEKLY)
    assert statuses(event)[:3] == ["", "cancelled", ""]
    check(SECOND, CONFIRMED, OFF)
    change_date(item=event, start=second, status=None)
    check(SECOND, CONFIRMED, OFF, CONFIRMED)


def test_it_begins_after_its_cancelled_first_date() -> None:
    event = series()
    edit(event, start=starts(event)[1], repeat={**WEEKLY, "count": 3})
    assert status_of(event.data["event_date"]) == ""
    check(FIRST, CONFIRMED, OFF)
    check(SECOND, CONFIRMED)


def test_a_single_event_that_was_cancelled_takes_place_at_its_new_date() -> None:
    event = make_event()
    make_reply(event, email=FIRST)
    change_date(item=event, start=starts(event)[0], status=CANCELLED)
    check(FIRST, CONFIRMED, OFF)
    edit(event, start=soon(9))
    assert statuses(event) == [""]
    check(FIRST, CONFIRMED, OFF, CONFIRMED)
