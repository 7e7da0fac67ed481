"""Demo listings: every status, several cities and types, photos that are copied already, and the same on a second run."""

from collections import Counter
from typing import Any

import pytest
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from commerce.members.demo import load as load_members
from commerce.real_estate.demo import load, records
from commerce.real_estate.demo.records import DATA, FEED
from commerce.real_estate.models import Feed, FeedRun, Inquiry, Property, PropertyPhoto, SavedSearch
from commerce.real_estate.selectors.feeds import due_feeds
from commerce.real_estate.services.photos import COPYING
from commerce.real_estate.services.searches import send_saved_searches

TABLES = (Feed, FeedRun, Property, PropertyPhoto, Inquiry, SavedSearch)


@pytest.fixture(autouse=True)
def few_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing and storing all of them takes seconds."""
    few = {url: name for url, name in records.photos().items() if name in {"house-1", "garden"}}
    monkeypatch.setattr("commerce.real_estate.demo.photos", lambda: few)


def load_once(scale: int = 1) -> int:
    made: list[int] = []
    load(scale, made.append)
    return sum(made)


def rows() -> list[list[dict[str, Any]]]:
    return [list(table._default_manager.order_by("pk").values()) for table in TABLES]


def test_it_works() -> None:
    load_members(1, lambda count: None)
    assert load_once() == len(DATA["listings"])
    found = list(Property.objects.all())
    assert min(Counter(each.status for each in found).values()) >= 3
    assert {each.status for each in found} == {"active", "pending", "sold", "withdrawn"}
    assert len({each.city for each in found}) >= 5
    assert len({each.property_type for each in found}) >= 4
    assert [each.listing_key for each in found if not each.is_shown] == ["DM-1010"]
    hidden = [each for each in found if not each.shows_address]
    assert [(each.street, each.latitude) for each in hidden] == [("", None)]
    assert all(each.latitude and each.agent_name and each.office_phone for each in found if each.shows_address)
    run = FeedRun.objects.get()
    assert (run.status, run.created, run.skipped, run.file.name) == ("finished", len(DATA["listings"]), 1, "")
    assert run.problems["named"][0]["key"] == "DM-0999"
    assert Inquiry.objects.filter(is_spam=True).count() == 1
    assert Inquiry.objects.count() == 5
    [search] = SavedSearch.objects.all()
    assert search.query == {"city": "Brattleboro", "max_price": 600_000, "min_beds": 2, "status": "active"}


def test_every_listing_has_photos_and_the_worker_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = dict.fromkeys(records.photos(), "garden")
    monkeypatch.setattr("commerce.real_estate.demo.photos", lambda: drawn)
    load_once()
    assert not Property.objects.filter(photos=None).exists()
    assert not PropertyPhoto.objects.filter(image=None).exists()
    assert not PropertyPhoto.objects.filter(next_attempt_at__isnull=False).exists()
    assert COPYING.take(lambda: False) is None
    assert not due_feeds(timezone.now()).exists()


def test_times_are_consistent() -> None:
    load_once()
    now = timezone.now()
    for each in Property.objects.all():
        assert each.created_at <= each.modified_at <= now
        assert each.on_market_date == each.listed_on <= each.modified_at.date()
        assert (each.activated_at is None) == (each.status != "active" or not each.is_shown)


def test_loading_again_changes_nothing_and_a_larger_scale_adds() -> None:
    load_once()
    before = rows()
    assert load_once() == 0
    assert rows() == before
    assert load_once(3) == 2 * len(DATA["listings"])
    assert Property.objects.filter(feed__name=FEED).count() == 3 * len(DATA["listings"])
    # No further scale is a re-listing.
    assert Property.objects.filter(is_shown=False).count() == 3
    assert not Property.objects.filter(hidden_reason="relisted").exists()


def test_nobody_is_emailed_and_members_are_not_needed() -> None:
    load_once()
    send_saved_searches()
    assert not OutgoingMail.objects.exists()
    assert not SavedSearch.objects.exists()
