"""Events on the admin's home."""

from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from events.admin.cards import count_submitted, create, new_rsvps, next_dates
from events.services.builtin import create as create_type
from events.services.rsvps import cancel
from tests import people

from .guests import WEEKLY, make_event, make_reply, soon

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _on(db: None) -> None:
    create_type()
    switch_feature(name="events", on=True)


@pytest.mark.both_databases
def test_the_next_dates_come_up_with_who_is_coming() -> None:
    once = make_event(soon(9), title="Concert")
    weekly = make_event(soon(3), title="Choir", repeat=WEEKLY)
    make_reply(once, party_size="3")
    make_reply(once, email="sam@example.org", party_size="4")
    found = list(next_dates(people.request_by(people.mallory_manager())))
    assert [card.title for card in found[:3]] == ["Choir", "Concert", "Choir"]
    assert found[1].text.endswith(" · 7 coming")
    seen_by_an_editor = list(next_dates(people.request_by(people.bob())))
    assert [card.title for card in seen_by_an_editor] == [card.title for card in found]
    assert not any("coming" in card.text for card in seen_by_an_editor)
    # A later date of a series is edited with the series.
    assert {found[0].url, found[2].url} == {f"/admin/content/items/edit/{weekly.pk}/"}


def test_new_replies_to_what_is_still_to_come() -> None:
    event = make_event()
    make_reply(event)
    cancel(rsvp=make_reply(event, email="sam@example.org"))
    card = new_rsvps(people.request_by(people.mallory_manager()))
    assert (card.count, card.url) == (1, "/admin/events/rsvps/")


def test_what_members_submit_waits_for_a_review(sign_in: Any) -> None:
    bob = people.bob()
    member: Client = sign_in(people.charlie())
    member.post("/events/submit", {"title": "Open studio", "start": "2027-05-01T18:30", "end": "2027-05-01T21:00"})
    make_event(status="draft")
    card = count_submitted(people.request_by(bob))
    assert card
    assert (card.count, card.url) == (1, "/admin/content/items/?type=events&status=draft")
    ContentItem.objects.filter(title="Open studio").update(status="published")
    after = count_submitted(people.request_by(bob))
    assert after
    assert after.count == 0


def test_there_is_nothing_while_events_are_off() -> None:
    bob = people.bob()
    switch_feature(name="events", on=False)
    request = people.request_by(bob)
    assert (list(next_dates(request)), count_submitted(request), create(request)) == ([], None, None)
