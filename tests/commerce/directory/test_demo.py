"""Demo listings: every status, cities and hours of every kind, consistent, and the same on a second run."""

from collections import Counter

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.directory.demo import DATA, load
from commerce.directory.models import Category, Claim, Listing, ListingChange, ListingPicture, Plan, Purchase
from commerce.directory.selectors.listings import listings
from commerce.directory.selectors.ownership import is_term_required, pending_claims
from commerce.directory.services.terms import remind_owners
from commerce.directory.types.hours import is_all_day
from commerce.members.demo import load as load_members
from commerce.payments.models import Payment
from commerce.payments.selectors import applied_payments
from tests.builders import make_endpoint, make_image

TABLES = (Category, Plan, Listing, ListingPicture, Listing.categories.through, ListingChange, Claim, Purchase, Payment)


@pytest.fixture(autouse=True)
def loaded(db: None) -> None:
    for name in ("directory", "members", "crm", "webhooks"):
        switch_feature(name=name, on=True)
    make_endpoint("*")
    load_members(1, lambda count: None)
    load(1, lambda count: None)


def test_it_works() -> None:
    now = timezone.now()
    found = list(Listing.objects.prefetch_related("categories"))
    kinds = {
        "live": [each for each in found if each.is_live(now)],
        "pending": [each for each in found if each.status == "pending"],
        "archived": [each for each in found if each.status == "archived"],
        "expired": [each for each in found if each.is_published and each.is_expired(now)],
        "featured": [each for each in found if each.featured],
        "owned": [each for each in found if each.owner_id],
    }
    assert min(map(len, kinds.values())) >= 3
    assert listings(status="live").count() == len(kinds["live"])
    assert len({each.city for each in found}) >= 5
    assert all(each.place and each.categories.all() for each in found)
    assert len({each.timezone for each in found}) >= 4
    days = [hours for each in found if each.hours for hours in each.hours.values()]
    assert any(is_all_day(day[0]) for day in days if day)
    assert any(len(day) == 3 for day in days)
    assert any(day[0]["close"] < day[0]["open"] for day in days if day and not is_all_day(day[0]))
    assert sum(bool(each.special_hours) for each in found) >= 3
    assert Counter(plan.kind for plan in Plan.objects.filter(enabled=True)) == {"term": 2, "featured": 1}
    assert is_term_required()
    assert ListingChange.objects.filter(status="pending").count() == pending_claims().count() == 3
    assert_is_consistent()
    # Nobody is emailed, and nothing is emitted.
    assert not OutboxEvent.objects.filter(kind__startswith="directory").exists()
    remind_owners()
    assert not OutgoingMail.objects.filter(template__startswith="listing").exists()


def assert_is_consistent() -> None:
    now = timezone.now()
    for each in Listing.objects.prefetch_related("purchases"):
        assert each.created_at <= each.updated_at <= now
        assert (each.published_at is None) == (each.status == "pending")
        assert each.published_at is None or each.created_at <= each.published_at <= now
        assert each.featured_until is None or (each.featured and each.featured_until > now)
        for bought in each.purchases.all():
            paid = sum(payment.amount_cents for payment in applied_payments("listing_purchase", bought.pk))
            assert paid == bought.total_cents
            assert bought.created_at < bought.paid_at <= now
            end = each.expires_at if bought.kind == "term" else each.featured_until
            assert end == bought.ends_at
            assert bought.starts_at < bought.ends_at
    assert Purchase.objects.count() >= 6


def test_loading_again_adds_nothing_and_a_larger_scale_does() -> None:
    before = [list(table.objects.order_by("pk").values()) for table in TABLES]  # type: ignore[attr-defined]
    load(1, lambda count: None)
    assert [list(table.objects.order_by("pk").values()) for table in TABLES] == before  # type: ignore[attr-defined]
    made: list[int] = []
    load(2, made.append)
    assert sum(made) == len(DATA["listings"])
    assert Listing.objects.count() == 2 * len(DATA["listings"])
    assert Listing.objects.filter(slug="reyes-ceramics-2").exists()


def test_it_has_the_pictures_of_the_library_and_loads_without_members() -> None:
    for model in (Purchase, Listing):
        model.objects.all().delete()
    get_user_model().objects.filter(username__endswith="@members.example").delete()
    tile, pots, kiln = (make_image(f"{number}.png") for number in range(3))
    for image, title in ((tile, "Tile wall"), (pots, "Two shelves of pots"), (kiln, "Kiln glow")):
        type(image).objects.filter(pk=image.pk).update(title=title)
    load(1, lambda count: None)
    ceramics = Listing.objects.get(slug="reyes-ceramics")
    assert (ceramics.logo_id, ceramics.cover_id) == (tile.pk, pots.pk)
    assert list(ceramics.pictures.values_list("media", flat=True)) == [kiln.pk]
    assert Listing.objects.count() == len(DATA["listings"])
    assert not Listing.objects.filter(owner__isnull=False).exists()
