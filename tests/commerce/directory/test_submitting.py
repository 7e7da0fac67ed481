"""Listings that owners submit and change: limits, what is moderated, and what staff decide."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import NotFound
from cms_api.flags.services import set_setting
from commerce.directory.models import Listing, ListingChange
from commerce.directory.selectors.ownership import pending_change
from commerce.directory.services.categories import delete_category
from commerce.directory.services.claims import enter_code
from commerce.directory.services.saving import save_listing
from commerce.directory.services.statuses import archive_listing, publish_listing
from commerce.directory.services.submitting import (
    OWN,
    approve_change,
    archive_own_listing,
    change_own_listing,
    reject_change,
    submit_listing,
)
from commerce.directory.types.listings import MAX_OWNED_LISTINGS

from .builders import (
    ADDRESS,
    DAILY,
    HERE,
    claimed,
    mails,
    make_category,
    make_listing,
    make_owner,
    make_plan,
    reloaded,
    sent,
    submit,
)
from .conftest import Clock

pytestmark = pytest.mark.django_db


def published(owner: Any, **values: Any) -> Listing:
    return make_listing("Noor's Bakery", owner=owner, **values)


def change(listing: Listing, **values: Any) -> ListingChange:
    found = change_own_listing(listing=listing, user=listing.owner, values=values)
    assert found
    return found


def statuses() -> list[str]:
    return list(ListingChange.objects.order_by("pk").values_list("status", flat=True))


@pytest.mark.both_databases
def test_it_works(owner: Any, business: str) -> None:
    listing = submit(owner, hours=DAILY, categories=[make_category().pk], **ADDRESS, **HERE)
    assert (listing.status, listing.owner, listing.expires_at, listing.published_at) == ("pending", owner, None, None)
    assert sent() == [("listing_moderation", business)]
    assert f"/admin/listings/inspect/{listing.pk}/" in mails()[0].text


def test_a_term_must_be_paid_as_soon_as_one_can_be_bought(owner: Any) -> None:
    make_plan("Month at the top", kind="featured")
    assert submit(owner).expires_at is None
    plan = make_plan(enabled=False)
    assert submit(owner).expires_at is None
    plan.enabled = True
    plan.save()
    listing = submit(owner)
    publish_listing(listing=listing)
    assert not reloaded(listing).is_live(timezone.now())


def test_owners_set_their_own_values_only(owner: Any) -> None:
    other = make_owner("ruth@example.com")
    state = {"status": "published", "featured": True, "slug": "mine", "expires_at": timezone.now(), "owner": other}
    listing = submit_listing(user=owner, values={"name": "Noor's Bakery", **state})
    assert (listing.status, listing.featured, listing.slug, listing.owner) == ("pending", False, "noors-bakery", owner)
    assert not OWN & state.keys()
    publish_listing(listing=listing)
    assert change_own_listing(listing=listing, user=owner, values={**state, "featured_until": timezone.now()}) is None
    stored = reloaded(listing)
    assert (stored.featured, stored.slug, stored.owner, stored.expires_at) == (False, "noors-bakery", owner, None)


def test_bad_values_store_nothing(owner: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        submit(owner, email="x", hours={"mon": [{"open": "x", "close": "10:00"}]})
    assert list(refusal.value.errors) == ["email", "hours.mon.0.open"]
    with pytest.raises(Invalid):
        submit_listing(user=owner, values={})
    assert (Listing.objects.count(), sent()) == (0, [])


def test_the_daily_limit(owner: Any, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    set_setting(key="directory.submissions_per_day", value=2)
    submit(owner)
    submit(owner)
    with pytest.raises(TooManyAttempts):
        submit(owner)
    submit(make_owner("ruth@example.com"))
    clock("2026-03-02 12:01")
    assert submit(owner)


def test_the_limit_of_an_account(owner: Any) -> None:
    long_ago = timezone.now() - timedelta(days=9)
    rows = [
        Listing(name="x", slug=f"x-{each}", owner=owner, created_at=long_ago, updated_at=long_ago)
        for each in range(MAX_OWNED_LISTINGS)
    ]
    Listing.objects.bulk_create(rows)
    with pytest.raises(Invalid, match="at most 50"):
        submit(owner)


# Changes.


@pytest.mark.both_databases
def test_what_is_not_moderated_appears_at_once(owner: Any, business: str) -> None:
    listing = published(owner)
    values = {"description": "Bread.", "phone": "123", "email": "b@example.com", "website": "https://example.com", "hours": DAILY}
    assert change_own_listing(listing=listing, user=owner, values=values) is None
    stored = reloaded(listing)
    assert (stored.description, stored.phone, stored.email, stored.hours) == ("Bread.", "123", "b@example.com", DAILY)
    assert (statuses(), sent()) == ([], [])


@pytest.mark.both_databases
def test_what_is_moderated_waits(owner: Any, business: str) -> None:
    crafts, food = make_category("Crafts"), make_category("Food")
    listing = published(owner, categories=[crafts.pk], **ADDRESS, **HERE)
    values = {**ADDRESS, **HERE, "name": "Noor & Sons", "city": "Keene", "categories": [food.pk], "phone": "123"}
    found = change(listing, **values)
    stored = reloaded(listing)
    assert (stored.name, stored.city, stored.phone, stored.categories.get()) == ("Noor's Bakery", "Brattleboro", "123", crafts)
    assert found.values == {"name": "Noor & Sons", "city": "Keene", "categories": [food.pk]}
    assert sent() == [("listing_moderation", business)]
    assert approve_change(change=found)
    assert not approve_change(change=found)
    assert not reject_change(change=found)
    stored = reloaded(listing)
    assert (stored.name, stored.city, stored.categories.get(), stored.slug) == ("Noor & Sons", "Keene", food, "noors-bakery")
    assert stored.street == "14 Canal Street"
    assert sent()[1:] == [("listing_change_decided", "noor@example.com")]
    assert "were published" in mails()[-1].text


def test_a_change_is_rejected(owner: Any) -> None:
    listing = published(owner)
    found = change(listing, name="Noor's Palace")
    assert reject_change(change=found, reason="That is another business.")
    assert (reloaded(listing).name, statuses()) == ("Noor's Bakery", ["rejected"])
    assert "That is another business." in mails("listing_change_decided")[0].text
    assert "were not published" in mails("listing_change_decided")[0].text


def test_a_later_change_replaces_one(owner: Any, business: str) -> None:
    listing = published(owner)
    first = change(listing, name="Noor's Palace")
    assert change(listing, name="Noor's Palace") == first
    second = change(listing, name="Noor's Castle")
    assert (statuses(), len(sent())) == (["replaced", "pending"], 2)
    assert not approve_change(change=first)
    # As it is: nothing is wanted any more.
    assert change_own_listing(listing=listing, user=owner, values={"name": "Noor's Bakery"}) is None
    assert statuses() == ["replaced", "replaced"]
    assert not approve_change(change=second)
    assert reloaded(listing).name == "Noor's Bakery"


def test_a_change_stays_while_something_else_is_changed(owner: Any) -> None:
    listing = published(owner)
    change(listing, name="Noor's Palace")
    assert change_own_listing(listing=listing, user=owner, values={"phone": "123"}) is None
    assert (statuses(), reloaded(listing).phone) == (["pending"], "123")


@pytest.mark.both_databases
@pytest.mark.parametrize("following", ["ruth@example.com", ""])
def test_a_change_ends_with_the_ownership(owner: Any, following: str) -> None:
    """Staff decide nothing for a former owner, and the present one sees and hears nothing of it."""
    listing = published(owner)
    asked = change(listing, name="Noor & Sons")
    save_listing(listing=listing, values={"owner": make_owner(following) if following else None})
    assert statuses() == ["replaced"]
    assert pending_change(listing.pk) is None
    mailed = len(mails())
    assert not approve_change(change=asked)
    assert (reloaded(listing).name, len(mails())) == ("Noor's Bakery", mailed)


@pytest.mark.both_databases
def test_a_change_ends_with_a_claim(owner: Any) -> None:
    listing = published(owner, email="hello@example.com")
    change(listing, name="Noor & Sons")
    # As when the account of the owner is deleted.
    Listing.objects.filter(pk=listing.pk).update(owner=None)
    claim, code = claimed(reloaded(listing), make_owner("ruth@example.com"))
    assert enter_code(claim=claim, code=code)
    assert statuses() == ["replaced"]


def test_a_change_stays_when_the_owner_stays(owner: Any) -> None:
    listing = published(owner)
    change(listing, name="Noor & Sons")
    save_listing(listing=listing, values={"owner": owner, "phone": "020 7946 0000"})
    assert statuses() == ["pending"]


def test_before_the_first_publication_everything_is_changed_at_once(owner: Any) -> None:
    listing = submit(owner)
    assert change_own_listing(listing=listing, user=owner, values={"name": "Noor & Sons", "city": "Keene"}) is None
    assert (reloaded(listing).name, reloaded(listing).city, statuses()) == ("Noor & Sons", "Keene", [])
    # A listing that goes back to moderation was approved once.
    publish_listing(listing=listing)
    archive_listing(listing=listing)
    change(listing, name="Noor's Palace")


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": ""}, "name"),
        ({"latitude": 91, "longitude": 0}, "latitude"),
        ({"latitude": 5}, "longitude"),
        ({"categories": [999]}, "categories"),
        ({"name": "Fine", "phone": "1\n2\0"}, "phone"),
    ],
)
def test_changes_that_are_refused(owner: Any, values: dict[str, Any], path: str) -> None:
    listing = published(owner)
    with pytest.raises(Invalid) as refusal:
        change_own_listing(listing=listing, user=owner, values={"description": "New", **values})
    assert list(refusal.value.errors) == [path]
    assert (reloaded(listing).description, statuses()) == ("", [])


@pytest.mark.both_databases
def test_a_change_is_approved_without_the_categories_that_are_gone(owner: Any) -> None:
    food, crafts = make_category("Food"), make_category("Crafts")
    found = change(published(owner), categories=[food.pk, crafts.pk], name="Noor's Palace")
    delete_category(category=food)
    assert approve_change(change=found)
    listing = Listing.objects.get()
    assert (listing.name, list(listing.categories.all()), statuses()) == ("Noor's Palace", [crafts], ["approved"])


def test_other_accounts_change_nothing(owner: Any) -> None:
    listing, ruth = published(owner), make_owner("ruth@example.com")
    for user in (ruth, None):
        with pytest.raises(NotFound):
            change_own_listing(listing=listing, user=user, values={"phone": "1"})
        with pytest.raises(NotFound):
            archive_own_listing(listing=listing, user=user)
    with pytest.raises(NotFound):
        change_own_listing(listing=make_listing("Without an owner"), user=None, values={})
    assert (reloaded(listing).phone, reloaded(listing).status) == ("", "published")


def test_owners_archive_their_listings(owner: Any) -> None:
    listing = published(owner)
    assert archive_own_listing(listing=listing, user=owner)
    assert not archive_own_listing(listing=listing, user=owner)
    assert (reloaded(listing).status, sent()) == ("archived", [])
