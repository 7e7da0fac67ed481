"""Many RSVPs at once: one row for an email and a date, and none for a date that is deleted meanwhile."""

import threading
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.core.errors import Invalid
from events.models import Rsvp
from events.services.capacity import room_for, set_capacity
from events.services.rsvps import cancel, reply
from tests.client import together
from tests.figures import figure

from .guests import GOOD, WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("events_on", "own_budgets")]

THREADS = 20
PEOPLE = figure(40, 80)
#: No more than the pool has connections.
LOOKING = 8


def test_it_works(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    start = starts(event)[1]

    def act(number: int) -> int:
        sent = {**GOOD, "party_size": str(number % 20 + 1), "occurrence": start}
        return int(Client().post(f"/events/{event.slug}/rsvp", sent).status_code)

    assert together(act, THREADS) == [303] * THREADS
    found = Rsvp.objects.get()
    assert len(mails()) == 1
    assert found.mail_due_at or f"{found.party_size} p" in mails()[0].text


def test_looking_first_would_have_made_more_than_one_attempt() -> None:
    """The positive control: whoever looks and then writes is stopped by the constraint, or writes twice without it."""
    event = make_event()
    values = {"event": event, "occurrence": event, "occurrence_start": starts(event)[0], "name": "Dana", "party_size": 1}

    everybody = threading.Barrier(LOOKING)

    def act(_: int) -> bool:
        there = Rsvp.objects.filter(occurrence=event, email_key="dana@example.org").exists()
        everybody.wait(10)
        try:
            if not there:
                Rsvp.objects.create(**values, email="dana@example.org", email_key="dana@example.org")
        except IntegrityError:
            return True
        return False

    assert sum(together(act, LOOKING)) == LOOKING - 1
    assert Rsvp.objects.count() == 1


def going(event: ContentItem) -> int:
    return sum(event.rsvps.filter(status="going").values_list("party_size", flat=True))


def test_a_date_never_has_more_guests_than_places() -> None:
    """Many replies, changes and cancellations at once; in the end nobody waits who would fit."""
    event = make_event()
    set_capacity(event=event, places=30)
    first = make_reply(event, email="first@example.org", party_size=20)

    def act(number: int) -> None:
        address = f"{number % PEOPLE}@example.org"
        if number == PEOPLE - 10:
            cancel(rsvp=first)
        else:
            reply(event=event, start="", name="Dana", email=address, party_size=number % 4 + 1)
        # As a server does after each request: there are fewer connections in the pool than callers.
        connection.close()

    def some(number: int) -> None:
        for each in range(number, PEOPLE + 20, THREADS):
            act(each)

    together(some, THREADS)
    left = 30 - going(event)
    assert 0 <= left < 4
    assert all(party > left for party in event.rsvps.filter(status="waiting").values_list("party_size", flat=True))
    assert event.rsvps.count() == PEOPLE


def test_counting_without_the_lock_would_have_oversold() -> None:
    """The positive control: all find the same places free, and take them."""
    event = make_event()
    set_capacity(event=event, places=2)
    values = {"event": event, "occurrence": event, "occurrence_start": starts(event)[0], "name": "Dana", "party_size": 2}
    counted = threading.Barrier(LOOKING)

    def act(number: int) -> None:
        room = room_for(event, event)
        counted.wait(10)
        if room == 2:
            Rsvp.objects.create(**values, email=f"{number}@example.org", email_key=f"{number}@example.org")

    together(act, LOOKING)
    assert going(event) == 2 * LOOKING


def test_of_many_cancellations_one_succeeds() -> None:
    rsvp = make_reply(make_event())
    assert sorted(together(lambda _: cancel(rsvp=rsvp), 8)) == [False] * 7 + [True]
    assert len(mails("event_rsvp_cancelled")) == 1


def test_a_date_that_vanishes_while_people_reply() -> None:
    """An RSVP in time keeps its date, which is cancelled; a late one is refused; none refers to a deleted row."""
    for _ in range(4):
        event = make_event(repeat=WEEKLY)
        gone = starts(event)[2]

        def act(number: int, event: Any = event, gone: str = gone) -> str:
            if number == 0:
                date = {"start": soon(), "tz": "Europe/Paris", "repeat": None}
                update_item(item=event, values={"data": {"event_date": date}})
                return "edited"
            try:
                reply(event=event, start=gone, **{**GOOD, "email": f"{number}@example.org"})
            except Invalid:
                return "refused"
            return "taken"

        said = together(act, 6)
        rows = ContentItem.objects.filter(owner=event)
        kept = Rsvp.objects.filter(event=event)
        assert kept.count() == said.count("taken")
        assert {each.occurrence_id for each in kept} <= {row.pk for row in rows}
        assert rows.count() == (1 if kept else 0)
        assert all(row.data["event_date"]["cancelled"] for row in rows)


def test_an_event_that_moves_while_people_reply() -> None:
    """Every reply is for the date that the event has in the end."""
    for turn in range(4):
        event = make_event()
        moved = soon(20 + turn)

        def act(number: int, event: Any = event, moved: str = moved) -> None:
            if number == 0:
                update_item(item=event, values={"data": {"event_date": {"start": moved, "tz": "Europe/Paris"}}})
                return
            reply(event=event, start="", **{**GOOD, "email": f"{number}@example.org"})

        def attempt(number: int, act: Any = act) -> bool:
            try:
                act(number)
            except Invalid:
                return False
            return True

        together(attempt, 6)
        assert set(Rsvp.objects.filter(event=event).values_list("occurrence_start", flat=True)) <= {f"{moved}:00"}
