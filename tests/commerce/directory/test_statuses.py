"""Statuses of listings: moves, featured placement, mails, and what begins with the publication."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from commerce.directory.services.saving import delete_listing, save_listing
from commerce.directory.services.statuses import archive_listing, feature_listing, publish_listing, set_status
from commerce.directory.services.terms import end_featured
from commerce.directory.types.listings import VERSION
from tests.people import alice

from .builders import buy, mails, make_listing, make_plan, reloaded, sent, submit
from .conftest import Clock

pytestmark = pytest.mark.django_db


def actions() -> list[str]:
    found = ModelLogEntry.objects.filter(action__startswith="directory.").order_by("pk")
    return list(found.values_list("action", flat=True))


@pytest.mark.both_databases
def test_it_works(owner: Any, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    listing = submit(owner)
    clock("2026-03-02 12:00")
    assert publish_listing(listing=listing, user=alice())
    assert not publish_listing(listing=listing)
    stored = reloaded(listing)
    assert (stored.status, stored.published_at, stored.updated_at) == ("published", timezone.now(), timezone.now())
    assert sent() == [("listing_published", "noor@example.com")]
    assert "/directory/noors-bakery" in mails()[0].text
    assert ModelLogEntry.objects.get(action="directory.publish").user == alice()


@pytest.mark.parametrize("before", ["published", "pending", "archived"])
@pytest.mark.parametrize("after", ["published", "pending", "archived"])
def test_every_status_follows_every_other(before: str, after: str) -> None:
    listing = make_listing(status=before)
    versions.forget()
    former = versions.version(VERSION)
    assert set_status(listing=listing, status=after) is (before != after)
    versions.forget()
    assert (reloaded(listing).status, versions.version(VERSION) != former) == (after, before != after)
    names = {"published": "publish", "pending": "unpublish", "archived": "archive"}
    assert actions() == ([f"directory.{names[after]}"] if before != after else [])


def test_the_owner_is_told_of_the_first_publication_only(owner: Any) -> None:
    listing = submit(owner)
    for status in ("published", "pending", "published", "archived", "published"):
        set_status(listing=listing, status=status)
    assert [template for template, _ in sent()] == ["listing_published"]


def test_a_submission_is_declined(owner: Any) -> None:
    listing = submit(owner)
    assert archive_listing(listing=listing, reason="We only list businesses in the valley." + "x" * 1000)
    assert sent() == [("listing_declined", "noor@example.com")]
    assert "in the valley" in mails()[0].text
    assert not archive_listing(listing=listing)


@pytest.mark.parametrize("status", ["live", "", "PUBLISHED", "\0", 5])
def test_statuses_that_are_refused(status: Any) -> None:
    listing = make_listing()
    with pytest.raises(Invalid) as refusal:
        set_status(listing=listing, status=status)
    assert list(refusal.value.errors) == ["status"]


def test_a_listing_that_is_gone() -> None:
    listing = make_listing()
    delete_listing(listing=reloaded(listing))
    with pytest.raises(NotFound):
        publish_listing(listing=listing)


@pytest.mark.both_databases
def test_featured_listings_come_first() -> None:
    listing = make_listing()
    assert feature_listing(listing=listing, featured=True)
    assert not feature_listing(listing=listing, featured=True)
    assert (reloaded(listing).featured, reloaded(listing).sort_key) == (True, "0reyes ceramics")
    assert feature_listing(listing=listing, featured=False)
    assert (reloaded(listing).featured, reloaded(listing).sort_key) == (False, "1reyes ceramics")
    assert actions() == ["directory.feature", "directory.stop_featuring"]
    assert set_status(listing=listing, status="archived", featured=True)
    assert (reloaded(listing).featured, reloaded(listing).status) == (True, "archived")


def test_a_placement_that_had_ended_does_not_end_the_next_one(clock: Clock) -> None:
    """Staff feature a listing whose owner had paid for a placement before."""
    clock("2026-03-01 12:00")
    listing = make_listing(featured=True, featured_until=timezone.now() + timedelta(days=1))
    clock("2026-03-10 12:00")
    assert end_featured() == 1
    feature_listing(listing=listing, featured=True)
    assert (end_featured(), reloaded(listing).featured_until, reloaded(listing).featured) == (0, None, True)
    feature_listing(listing=listing, featured=False)
    save_listing(listing=listing, values={"featured": True})
    assert (end_featured(), reloaded(listing).featured) == (0, True)


@pytest.mark.both_databases
def test_what_was_paid_begins_with_the_publication(owner: Any, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    term, placement = make_plan(), make_plan("Month at the top", kind="featured", months=1)
    listing = submit(owner)
    first, second = buy(listing, term), buy(listing, term)
    shown = buy(listing, placement)
    assert f"{reloaded(listing).expires_at:%Y-%m-%d}" == "2028-03-01"
    assert "begins when we publish" in mails("listing_paid")[0].text
    # Longer than the placement lasts.
    clock("2026-05-31 12:00")
    end_featured()
    assert publish_listing(listing=listing)
    stored = reloaded(listing)
    assert (f"{stored.expires_at:%Y-%m-%d}", f"{stored.featured_until:%Y-%m-%d}", stored.featured) == (
        "2028-05-31",
        "2026-06-30",
        True,
    )
    for purchase in (first, second, shown):
        purchase.refresh_from_db()
    now = timezone.now()
    assert (first.starts_at, second.starts_at, shown.starts_at) == (now, first.ends_at, now)
    assert (second.ends_at, shown.ends_at) == (stored.expires_at, stored.featured_until)
    # Only with the first one.
    clock("2026-06-15 12:00")
    archive_listing(listing=listing)
    publish_listing(listing=listing)
    assert reloaded(listing).expires_at == stored.expires_at


@pytest.mark.both_databases
def test_staff_may_publish_without_the_placement(owner: Any) -> None:
    listing = submit(owner)
    buy(listing, make_plan("Month at the top", kind="featured", months=1))
    assert set_status(listing=listing, status="published", featured=False)
    assert (reloaded(listing).featured, reloaded(listing).featured_until) == (False, None)


@pytest.mark.both_databases
def test_what_staff_gave_during_moderation_is_not_shortened(owner: Any, clock: Clock) -> None:
    """A listing that never ends, or ends later than what was paid for, stays so when it is published."""
    clock("2026-03-01 12:00")
    plan = make_plan()
    endless, lasting = submit(owner), submit(owner, "Kiln")
    purchases = [buy(listing, plan) for listing in (endless, lasting)]
    paid = [(each.starts_at, each.ends_at) for each in purchases]
    save_listing(listing=endless, values={"expires_at": None})
    until = timezone.now() + timedelta(days=5000)
    save_listing(listing=lasting, values={"expires_at": until})
    clock("2026-03-11 12:00")
    publish_listing(listing=endless)
    save_listing(listing=lasting, values={"status": "published"})
    assert (reloaded(endless).expires_at, reloaded(lasting).expires_at) == (None, until)
    for purchase in purchases:
        purchase.refresh_from_db()
    assert [(each.starts_at, each.ends_at) for each in purchases] == paid


@pytest.mark.both_databases
def test_a_placement_that_staff_gave_without_an_end_is_not_limited(owner: Any) -> None:
    listing = submit(owner)
    buy(listing, make_plan("Month at the top", kind="featured", months=1))
    save_listing(listing=listing, values={"featured": True, "featured_until": None})
    publish_listing(listing=listing)
    assert (reloaded(listing).featured, reloaded(listing).featured_until) == (True, None)
