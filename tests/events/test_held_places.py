"""Visitors of one network can only have a part of the places without signing in."""

import pytest
from django.test import Client

from cms_api.flags.services import set_setting
from events.models import Rsvp
from events.services.capacity import set_capacity

from .guests import GOOD, make_event, make_reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]


def post(path: str, number: int, address: str = "192.0.2.7", party: int = 20) -> int:
    sent = {**GOOD, "email": f"guest{number}@example.org", "party_size": party}
    return Client(REMOTE_ADDR=address).post(path, sent).status_code


@pytest.mark.both_databases
def test_it_works() -> None:
    event = make_event()
    set_capacity(event=event, places=100)
    path = f"/events/{event.slug}/rsvp"
    answers = [post(path, number) for number in range(5)]
    assert answers == [303, 303, 422, 422, 422]
    # A smaller party, the same guest again, another network, and staff.
    assert (post(path, 5, party=10), post(path, 5, party=9)) == (303, 303)
    assert post(path, 6, "192.0.2.8") == 303
    make_reply(event, email="guest7@example.org", party_size=20)
    assert sum(Rsvp.objects.values_list("party_size", flat=True)) == 89


def test_it_is_not_counted_without_places_or_a_limit() -> None:
    event = make_event()
    path = f"/events/{event.slug}/rsvp"
    assert [post(path, number) for number in range(4)] == [303] * 4
    set_setting(key="events.rsvp_network_percent", value=100)
    set_capacity(event=event, places=200)
    assert [post(path, number) for number in range(4, 10)] == [303] * 6
