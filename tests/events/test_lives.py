"""Random lives of events: everybody is told exactly what happens to their date, calendars recognize it, and nobody is lost."""

import pytest

from cms_api.content.models import ContentItem
from events.models import Rsvp
from events.selectors import moves
from events.selectors.rsvps import date_of
from events.services.mails import send_postponed_mails
from events.services.rsvps import cancel
from events.types.moves import Moves, Slot
from tests.figures import figure

from .guests import make_event, make_reply
from .lives import Guest, World, live_many

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

LIVES = figure(8, 2000)


def join(event: ContentItem, guest: Guest) -> None:
    make_reply(ContentItem.objects.get(pk=event.pk), guest.start, email=guest.email)


def leave(event: ContentItem, guest: Guest) -> None:
    cancel(rsvp=Rsvp.objects.get(email=guest.email))


def place(event: ContentItem, guest: Guest) -> tuple[str, bool]:
    rsvp = Rsvp.objects.select_related("occurrence").get(event=event, email=guest.email)
    date = date_of(rsvp.occurrence)
    assert date["start"] == rsvp.occurrence_start
    return date["start"], bool(date.get("cancelled"))


WORLD = World(make_event, join, leave, place, send_postponed_mails)


@pytest.mark.both_databases
def test_it_works() -> None:
    live_many(LIVES, WORLD)


def test_dates_that_are_not_matched_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model fails if dates are known by their local start and zone alone, as they once were."""

    def by_key(before: list[Slot], after: list[Slot], **_: object) -> Moves:
        return {slot.key: slot.key for slot in before if slot.key in {each.key for each in after}}

    monkeypatch.setattr(moves, "match_dates", by_key)
    with pytest.raises(AssertionError):
        live_many(LIVES, WORLD)
