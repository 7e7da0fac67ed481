"""Guests stay with their dates when an event moves, are told once, and their calendars recognize the date."""

import datetime as dt
import re
from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from events.models import Capacity, DateChange, Rsvp
from events.selectors.rsvps import date_of
from events.services.capacity import set_capacity
from events.services.dates import change_date
from events.services.mails import send_postponed_mails
from events.services.occurrences import top_up
from events.services.rsvps import cancel, reinstate
from events.types.plans import DateStatus
from tests.client import Api

from .guests import WEEKLY, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]


def edit(event: ContentItem, **changes: Any) -> None:
    event.refresh_from_db()
    update_item(item=event, values={"data": {"event_date": {**event.data["event_date"], **changes}}})
    event.refresh_from_db()


def entries(email: str) -> list[tuple[str, str, str, int]]:
    """The template, METHOD, UID and SEQUENCE of each email to a guest."""
    send_postponed_mails()
    found = []
    for mail in OutgoingMail.objects.filter(recipient=email).order_by("pk"):
        text = "".join(bytes(each.content).decode() for each in mail.attachments.all())
        method, uid, sequence = (re.search(f"^{name}:(.*?)\r", text, re.MULTILINE) for name in ("METHOD", "UID", "SEQUENCE"))
        found.append((mail.template, method[1] if method else "", uid[1] if uid else "", int(sequence[1]) if sequence else -1))
    return found


def check(email: str, *expected: tuple[str, str]) -> None:
    """Compare the emails of a guest; the UID must stay, and the SEQUENCE rise."""
    found = entries(email)
    assert [(template, method) for template, method, *_ in found] == list(expected)
    assert len({uid for _, _, uid, _ in found}) == 1
    numbers = [number for *_, number in found]
    assert numbers == sorted(set(numbers))


CONFIRMED, MOVED, OFF = ("event_rsvp", "REQUEST"), ("event_moved", "REQUEST"), ("event_cancelled", "CANCEL")


@pytest.mark.both_databases
def test_it_works() -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    given = [make_reply(event, start, email=f"{number}@example.org") for number, start in enumerate((first, second))]
    rows = [rsvp.occurrence_id for rsvp in given]
    edit(event, start=f"{first[:10]}T19:00")
    for rsvp, start, row in zip(given, (first, second), rows, strict=True):
        rsvp.refresh_from_db()
        assert (rsvp.occurrence_id, rsvp.occurrence_start) == (row, f"{start[:10]}T19:00:00")
        check(rsvp.email, CONFIRMED, MOVED)
        assert [number for *_, number in entries(rsvp.email)] == [0, 1]
    assert not any(date_of(row).get("cancelled") for row in ContentItem.objects.filter(owner=event))


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_another_time_zone_alone(repeat: Any) -> None:
    event = make_event(repeat=repeat)
    for number, start in enumerate(starts(event)):
        make_reply(event, start, email=f"{number}@example.org")
    edit(event, tz="Europe/London")
    edit(event, tz="Europe/Dublin")
    for number, _ in enumerate(starts(event)):
        # Dublin has the time of London: nobody sees a difference.
        check(f"{number}@example.org", CONFIRMED, MOVED)


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_another_end_alone(repeat: Any) -> None:
    event = make_event(repeat=repeat)
    make_reply(event, starts(event)[-1])
    edit(event, end=f"{starts(event)[0][:10]}T22:00")
    check("dana@example.org", CONFIRMED, MOVED)


def test_over_the_api(api: Api) -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[2])
    value = {"start": f"{soon()[:10]}T20:00", "tz": "Europe/Paris", "repeat": WEEKLY}
    assert api.patch(f"/content-items/{event.pk}", {"data": {"event_date": value}}).status_code == 200
    check("dana@example.org", CONFIRMED, MOVED)


def test_the_series_begins_at_the_second_date() -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    early, guest = make_reply(event, first, email="early@example.org"), make_reply(event, second)
    # Somebody who comes to both dates keeps both RSVPs.
    both = [make_reply(event, start, email="both@example.org") for start in (first, second)]
    edit(event, start=second, repeat={**WEEKLY, "count": 3})
    for rsvp in (guest, early, *both):
        rsvp.refresh_from_db()
    assert guest.occurrence_id == both[1].occurrence_id == event.pk
    assert date_of(early.occurrence)["cancelled"]
    assert early.occurrence_id == both[0].occurrence_id
    cancel(rsvp=guest)
    check("dana@example.org", CONFIRMED, ("event_rsvp_cancelled", "CANCEL"))
    check("early@example.org", CONFIRMED, OFF)
    uids = [uid for *_, uid, _ in entries("both@example.org")]
    assert len(set(uids)) == 2
    assert uids.count(entries("early@example.org")[0][2]) == 2


def test_the_series_begins_earlier_and_goes_back(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, *_ = starts(event)
    guest = make_reply(event, first)
    before = client.get(f"/calendar/events/{event.slug}.ics").content
    earlier = (dt.datetime.fromisoformat(first) - dt.timedelta(days=7)).isoformat()
    edit(event, start=earlier, repeat={**WEEKLY, "count": 5})
    guest.refresh_from_db()
    assert (guest.occurrence.owner_id, guest.occurrence_start) == (event.pk, first)
    after = client.get(f"/calendar/events/{event.slug}.ics").content
    assert set(re.findall(b"UID:.*", before)) < set(re.findall(b"UID:.*", after))
    edit(event, start=first, repeat=WEEKLY)
    cancel(rsvp=guest)
    guest.refresh_from_db()
    assert guest.occurrence_id == event.pk
    check("dana@example.org", CONFIRMED, ("event_rsvp_cancelled", "CANCEL"))


def test_every_change_of_an_rsvp_is_a_later_version() -> None:
    event = make_event()
    guest = make_reply(event)
    cancel(rsvp=guest)
    reinstate(rsvp=guest)
    cancel(rsvp=guest)
    off = ("event_rsvp_cancelled", "CANCEL")
    check("dana@example.org", CONFIRMED, off, CONFIRMED, off)


def test_every_other_week_cancels_the_dates_between() -> None:
    event = make_event(repeat=WEEKLY)
    for number, start in enumerate(starts(event)):
        make_reply(event, start, email=f"{number}@example.org")
    edit(event, repeat={**WEEKLY, "interval": 2})
    for number in range(4):
        check(f"{number}@example.org", CONFIRMED, *([OFF] if number % 2 else []))
    assert Rsvp.objects.filter(occurrence__data__event_date__cancelled=True).count() == 2


def test_cancelled_and_skipped_dates_and_places_move_along() -> None:
    event = make_event(repeat=WEEKLY)
    first, second, third, fourth = starts(event)
    set_capacity(event=event, start=fourth, places=7)
    make_reply(event, third)
    change_date(item=event, start=second, status=DateStatus.SKIPPED)
    change_date(item=event, start=third, status=DateStatus.CANCELLED)
    edit(event, start=f"{first[:10]}T19:00")
    day = {each: f"{each[:10]}T19:00:00" for each in (second, third, fourth)}
    assert dict(DateChange.objects.values_list("start", "status")) == {day[second]: "skipped", day[third]: "cancelled"}
    assert Capacity.objects.get().start == day[fourth]
    rows = ContentItem.objects.filter(owner=event).order_by("starts_at")
    assert [bool(date_of(row).get("cancelled")) for row in rows] == [True, False]
    check("dana@example.org", CONFIRMED, OFF)


def test_a_vanished_date_that_is_back_is_the_same_entry() -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[3])
    edit(event, repeat={**WEEKLY, "count": 2})
    check("dana@example.org", CONFIRMED, OFF)
    edit(event, repeat=WEEKLY)
    check("dana@example.org", CONFIRMED, OFF, CONFIRMED)


def test_past_dates_move_silently() -> None:
    event = make_event(f"{soon(-30)}", repeat={"frequency": "weekly", "count": 8})
    row = ContentItem.objects.filter(owner=event).order_by("starts_at")[0]
    start = date_of(row)["start"]
    Rsvp.objects.create(
        event=event, occurrence=row, occurrence_start=start, name="D", email="d@example.org", email_key="d@example.org"
    )
    edit(event, start=soon(-30).replace("18:30", "19:00"))
    assert entries("d@example.org") == []
    row.refresh_from_db()
    assert date_of(row)["start"] == start.replace("18:30", "19:00")


@pytest.mark.both_databases
def test_the_preview_counts_the_guests(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, _, fourth = starts(event)
    make_reply(event, second, party_size="3")
    make_reply(event, fourth, email="last@example.org", party_size="1")
    name = "data__event_date"
    parts = {"start_date": first[:10], "start_time": "19:00", "tz": "Europe/Paris", "interval": "1", "frequency": "weekly"}
    about = {"name": name, "type": "events", "item": str(event.pk)}
    sent = {f"{name}-{part}": value for part, value in {**parts, "ends": "count", "count": "3"}.items()}
    html = admin_client.post("/admin/events/dates/preview/", {**about, **sent}).content.decode()
    text = " ".join(re.sub("<[^>]*>", " ", html).split())
    assert "1 date is removed but stays as cancelled, since it has RSVPs; 3 move." in text
    assert "3 guests of 1 date that moves are notified." in text
    assert "1 guest of 1 date that is cancelled is notified." in text
    assert re.search(r"6:30[^:]*: moved to [^:]*7:00[^:]*\(3 guests\)", text)


def test_links_to_a_date_of_before_lead_to_where_it_is_now(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, third, _ = starts(event)
    page, slug = f"/events/{event.slug}", ContentItem.objects.get(owner=event, data__event_date__start=third).slug
    edit(event, start=f"{first[:10]}T19:00")
    edit(event, start=f"{first[:10]}T20:00")
    now = f"{third[:10]}T20:00"
    answer = client.get(f"/events/{slug}")
    assert (answer.status_code, answer["Location"]) == (301, f"{page}?occurrence={now}:00")
    html = client.get(f"{page}?occurrence={third}").content.decode()
    assert f'"startDate": "{now}' in html
    # Of a date that goes back, the link is its own again.
    edit(event, start=first)
    assert client.get(f"/events/{slug}")["Location"] == f"{page}?occurrence={third}"
    assert client.get(f"{page}?occurrence={second[:10]}T20:00").status_code == 200
    for unknown in (f"{event.slug}--x", "--", f"{event.slug}--20200101t100000"):
        assert client.get(f"/events/{unknown}").status_code == 404


def test_two_dates_that_have_vanished_from_the_same_start() -> None:
    event = make_event(soon(30), repeat=WEEKLY)
    first, second, third, _ = starts(event)
    make_reply(event, second)
    guest = make_reply(event, third, email="third@example.org")
    edit(event, repeat={**WEEKLY, "interval": 2})
    edit(event, start=(dt.datetime.fromisoformat(first) - dt.timedelta(days=7)).isoformat())
    guest.refresh_from_db()
    assert guest.occurrence_start == second
    edit(event, repeat=None)
    assert Rsvp.objects.count() == 2
    assert all(date_of(rsvp.occurrence).get("cancelled") for rsvp in Rsvp.objects.select_related("occurrence"))


def templates_sent() -> dict[str, str]:
    """Send what is due; return the template of each email by its recipient, and delete them."""
    send_postponed_mails()
    found = dict(OutgoingMail.objects.exclude(template="event_rsvp").values_list("recipient", "template"))
    OutgoingMail.objects.all().delete()
    return found


def places(*rsvps: Rsvp) -> list[tuple[str, bool]]:
    """The local start of each guest's date, and whether it is cancelled."""
    found = [Rsvp.objects.select_related("occurrence").get(pk=rsvp.pk) for rsvp in rsvps]
    for each in found:
        assert date_of(each.occurrence)["start"] == each.occurrence_start
    return [(each.occurrence_start, bool(date_of(each.occurrence).get("cancelled"))) for each in found]


def test_a_date_moves_to_where_one_has_vanished() -> None:
    """Each guest stays with the own date: that of the one goes on, and that of the other stays cancelled."""
    event = make_event(repeat={"frequency": "weekly", "count": 3})
    first, second, third = starts(event)
    staying, lost = make_reply(event, second, email="staying@example.org"), make_reply(event, third, email="lost@example.org")
    edit(event, repeat={"frequency": "weekly", "count": 2})
    assert templates_sent() == {"lost@example.org": "event_cancelled"}
    edit(event, repeat={"frequency": "weekly", "interval": 2, "count": 2})
    assert (templates_sent(), places(staying, lost)) == ({"staying@example.org": "event_moved"}, [(third, False), (third, True)])
    # Edits of other fields and of other dates change neither of the two.
    update_item(item=event, values={"data": {"venue": "The barn"}})
    change_date(item=event, start=third, status=DateStatus.CANCELLED)
    change_date(item=event, start=third, status=None)
    assert (templates_sent(), places(staying, lost)) == ({}, [(third, False), (third, True)])
    edit(event, start=first.replace("18:30", "19:00"))
    later = third.replace("18:30", "19:00")
    assert (templates_sent(), places(staying, lost)) == ({"staying@example.org": "event_moved"}, [(later, False), (third, True)])


def test_the_only_date_moves_to_where_one_has_vanished() -> None:
    event = make_event(repeat={"frequency": "weekly", "count": 2})
    first, second = starts(event)
    staying, lost = make_reply(event, first, email="staying@example.org"), make_reply(event, second, email="lost@example.org")
    edit(event, repeat=None)
    edit(event, start=second)
    assert templates_sent() == {"lost@example.org": "event_cancelled", "staying@example.org": "event_moved"}
    update_item(item=event, values={"data": {"venue": "The barn"}})
    assert (templates_sent(), places(staying, lost)) == ({}, [(second, False), (second, True)])
    edit(event, start=first)
    assert (templates_sent(), places(staying, lost)) == ({"staying@example.org": "event_moved"}, [(first, False), (second, True)])


def test_series_without_an_end_are_topped_up_after_a_collision() -> None:
    """One series that could not be written would stop the job for all others."""
    event = make_event(repeat={"frequency": "weekly"})
    _, second, third = starts(event)[:3]
    staying, lost = make_reply(event, second, email="staying@example.org"), make_reply(event, third, email="lost@example.org")
    edit(event, repeat={"frequency": "weekly", "count": 2})
    edit(event, repeat={"frequency": "weekly", "interval": 2, "count": 2})
    edit(event, repeat={"frequency": "weekly", "interval": 2})
    templates_sent()
    set_setting(key="recurrence.horizon_days", value=800)
    assert top_up() == 1
    assert (templates_sent(), places(staying, lost)) == ({}, [(third, False), (third, True)])


def test_a_skipped_date_of_an_earlier_rule_becomes_no_date_of_the_next() -> None:
    """The rule ends, and comes back with as many dates as the only one and the skipped one: the second takes place."""
    event = make_event(repeat={**WEEKLY, "count": 3})
    _, second, third = starts(event)
    make_reply(event, second, email="guest@example.org")
    change_date(item=event, start=third, status=DateStatus.SKIPPED)
    edit(event, repeat=None)
    send_postponed_mails()
    edit(event, repeat={**WEEKLY, "count": 2})
    assert starts(event)[1:] == [second]
    check("guest@example.org", CONFIRMED, OFF, CONFIRMED)
