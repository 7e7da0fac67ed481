"""The listings of an account: the list, and the page on which the owner changes, pays and archives one."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.media.models import MediaImage
from cms_api.media.services.library import upload
from commerce.directory.models import Listing, ListingChange, Purchase
from commerce.directory.services.saving import save_listing
from commerce.directory.services.statuses import publish_listing
from commerce.directory.services.submitting import approve_change, archive_own_listing, change_own_listing
from commerce.payments.models import Payment
from tests.media.files import jpeg

from .builders import ADDRESS, DAILY, HERE, buy, make_category, make_listing, make_owner, make_plan, press, reloaded, submit

LIST = "/accounts/listings/"


@pytest.fixture
def member(owner: Any, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(owner)


@pytest.fixture
def bakery(owner: Any) -> Listing:
    """A published listing of the owner."""
    return make_listing("Noor's Bakery", owner=owner, timezone="UTC", **ADDRESS, **HERE)


def path(listing: Listing, *more: Any) -> str:
    return "/".join(map(str, (f"{LIST}{listing.pk}", *more))) + "/"


def text(response: Any) -> str:
    return response.content.decode().replace("&#x27;", "'").replace("&quot;", '"')


def form(client: Client, listing: Listing, **changes: Any) -> dict[str, Any]:
    """The fields of the edit form as the page shows them, with changes."""
    page = client.get(path(listing))
    shown = page.context["form"]
    skipped = {"remove_logo", "remove_cover", "remove_pictures", "logo", "cover", "pictures"}
    sent = {name: shown[name].value() for name in shown.fields if name not in skipped}
    return {name: value for name, value in {**sent, **changes}.items() if value is not None}


def save(client: Client, listing: Listing, **changes: Any) -> Any:
    return client.post(path(listing), form(client, listing, **changes))


def file(name: str = "bowl.jpg", content: bytes = b"") -> SimpleUploadedFile:
    """A picture; files of other names are other pictures."""
    return SimpleUploadedFile(name, content or jpeg(40 + sum(name.encode()) % 60))


def pending(listing: Listing) -> dict[str, Any]:
    return ListingChange.objects.get(listing=listing, status="pending").values


def test_guests_sign_in_first() -> None:
    listing = make_listing()
    for each in (LIST, path(listing), path(listing, "archive")):
        assert Client().get(each).headers["Location"].startswith("/accounts/login/?next=/accounts/listings/"), each


def test_listings_of_others_are_not_found(member: Client) -> None:
    robin = make_owner("robin@example.com")
    for listing in (make_listing("Free"), make_listing("Robin's", owner=robin)):
        plan = make_plan(f"Plan {listing}")
        for each in (path(listing), path(listing, "archive")):
            assert member.get(each).status_code == 404
            assert member.post(each, {"name": "Mine", "timezone": "UTC"}).status_code == 404
        assert member.post(path(listing, "buy", plan.pk)).status_code == 404
        assert reloaded(listing).status == "published"
    assert member.get(f"{LIST}999999999999999999/").status_code == 404
    assert not Purchase.objects.exists()


@pytest.mark.both_databases
def test_the_list_says_how_listings_stand(member: Client, owner: Any) -> None:
    assert "You don't have any listings yet." in text(member.get(LIST))
    now = timezone.now()
    make_listing("Archived", owner=owner, status="archived")
    make_listing("Endless", owner=owner)
    submit(owner, "Pending")
    make_plan()
    make_listing("Unpaid", owner=owner, expires_at=now - timedelta(minutes=1))
    buy(make_listing("Paid", owner=owner, expires_at=now - timedelta(minutes=1)))
    ended = make_listing("Ended", owner=owner, expires_at=now - timedelta(minutes=1))
    buy(ended)
    save_listing(listing=ended, values={"expires_at": now - timedelta(days=1)})
    changed = make_listing("With a change", owner=owner)
    change_own_listing(listing=changed, user=owner, values={"name": "Another name"})
    make_listing("Of nobody")
    page = member.get(LIST)
    assert page.headers["Cache-Control"] == "private, no-store"
    found = {row[0].name: (re.sub(r" \d.*| [A-Z][a-z]+ \d.*", "", row[2]), row[3]) for row in page.context["records"]}
    assert found == {
        "Archived": ("Archived", ""),
        "Endless": ("Online", ""),
        "Ended": ("Ended on", "Renew"),
        "Paid": ("Online until", "Renew"),
        "Pending": ("Awaiting moderation", ""),
        "Unpaid": ("Awaiting payment", "Pay"),
        "With a change": ("Online", ""),
    }
    assert text(page).count("Changes awaiting moderation") == 1


def test_the_list_takes_a_constant_number_of_statements(member: Client, owner: Any) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            member.get(LIST)
        return len(captured)

    make_listing("First", owner=owner)
    statements()
    before = statements()
    for number in range(5):
        make_listing(f"Shop {number}", owner=owner)
    assert statements() == before


@pytest.mark.both_databases
def test_saved_unchanged_nothing_awaits_moderation(member: Client, owner: Any) -> None:
    listing = make_listing(
        "Noor's Bakery",
        owner=owner,
        categories=[make_category().pk],
        hours={**DAILY, "sun": [{"open": "00:00", "close": "00:00"}]},
        special_hours=[{"date": "2026-12-24", "hours": []}],
        timezone="US/Eastern",
        **{**ADDRESS, "country": "United States of America"},
        **HERE,
    )
    before = Listing.objects.values().get()
    answer = save(member, listing)
    assert (answer.status_code, answer.headers["Location"]) == (302, path(listing))
    assert not ListingChange.objects.exists()
    after = Listing.objects.values().get()
    assert {name: value for name, value in after.items() if before[name] != value}.keys() <= {"updated_at"}
    assert "Your changes have been saved.<" in text(member.get(path(listing)))


@pytest.mark.both_databases
def test_the_phone_changes_at_once_and_the_name_awaits_moderation(member: Client, bakery: Listing) -> None:
    save(member, bakery, phone="+1 802 555 0199", name="Noor's Bread", city="Putney")
    changed = reloaded(bakery)
    assert (changed.phone, changed.name, changed.city) == ("+1 802 555 0199", "Noor's Bakery", "Brattleboro")
    assert pending(bakery) == {"name": "Noor's Bread", "city": "Putney"}
    page = member.get(path(bakery))
    assert "appear once we've reviewed them." in text(page)
    assert page.context["changed"] == [("Name", "Noor's Bakery", "Noor's Bread"), ("City", "Brattleboro", "Putney")]
    # The form shows what the owner wants, so that saving something else does not withdraw it.
    assert page.context["form"]["name"].value() == "Noor's Bread"
    save(member, bakery, phone="")
    assert pending(bakery) == {"name": "Noor's Bread", "city": "Putney"}
    assert ListingChange.objects.count() == 1
    # The former text withdraws one part.
    save(member, bakery, name="Noor's Bakery")
    assert pending(bakery) == {"city": "Putney"}
    approve_change(change=ListingChange.objects.get(status="pending"))
    assert reloaded(bakery).city == "Putney"
    assert member.get(path(bakery)).context["changed"] == []


def test_every_moderated_part_is_shown_in_words(member: Client, bakery: Listing) -> None:
    food = make_category("Food")
    save(member, bakery, categories=[food.pk], country="CA", latitude="", longitude="", state="")
    assert {label: (old, new) for label, old, new in member.get(path(bakery)).context["changed"]} == {
        "Categories": ("", "Food"),
        "Country": ("United States", "Canada"),
        "State or region": ("VT", ""),
        "Latitude": ("42.8509", ""),
        "Longitude": ("-72.5579", ""),
    }


@pytest.mark.both_databases
def test_a_listing_that_awaits_moderation_changes_at_once(member: Client, owner: Any) -> None:
    listing = submit(owner)
    save(member, listing, name="Noor's Bread")
    assert reloaded(listing).name == "Noor's Bread"


@pytest.mark.both_databases
def test_pictures_are_added_replaced_and_removed(member: Client, owner: Any, bakery: Listing) -> None:
    save(member, bakery, logo=file("logo.jpg"), cover=file("cover.jpg"), pictures=[file("a.jpg"), file("b.jpg")])
    shown = list(reloaded(bakery).pictures.values_list("media", flat=True))
    first_logo = reloaded(bakery).logo_id
    page = member.get(path(bakery))
    assert [pk for pk, _ in page.context["pictures"]] == shown
    assert page.context["images"].keys() == {"logo", "cover"}
    save(member, bakery, logo=file("other.jpg"), remove_cover="1", remove_pictures=[shown[0]], pictures=[file("c.jpg")])
    changed = reloaded(bakery)
    left = list(changed.pictures.values_list("media", flat=True))
    assert (changed.cover_id, left[0], len(left)) == (None, shown[1], 2)
    assert changed.logo_id not in {None, first_logo}
    # Pictures that nothing uses any more are deleted from the library.
    assert set(MediaImage.objects.values_list("pk", flat=True)) == {changed.logo_id, *left}


def test_pictures_of_the_site_and_of_other_listings_stay_in_the_library(member: Client, owner: Any, bakery: Listing) -> None:
    ours = upload(file=file("ours.jpg"))
    shared = upload(file=file("shared.jpg"), user=owner)
    make_listing("Other", logo=shared.pk)
    save_listing(listing=bakery, values={"pictures": [ours.pk, shared.pk]})
    save(member, bakery, remove_pictures=[ours.pk, shared.pk])
    assert (bakery.pictures.count(), MediaImage.objects.count()) == (0, 2)


@pytest.mark.both_databases
def test_a_picture_that_is_sent_twice_is_added_once(member: Client, bakery: Listing) -> None:
    for _ in range(2):
        save(member, bakery, pictures=[file("a.jpg"), file("a.jpg")])
    assert (bakery.pictures.count(), MediaImage.objects.count()) == (1, 1)


def test_only_own_pictures_are_removed_and_only_so_many_added(
    member: Client, bakery: Listing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commerce.directory.views.forms.MAX_PICTURES", 2)
    other = upload(file=file())
    assert save(member, bakery, remove_pictures=[other.pk]).status_code == 422
    own = [upload(file=file(f"{number}.jpg")).pk for number in range(2)]
    save_listing(listing=bakery, values={"pictures": own})
    answer = save(member, bakery, pictures=[file()])
    assert (answer.status_code, "Remove some first." in text(answer)) == (422, True)
    assert save(member, bakery, pictures=[file()], remove_pictures=own[:1]).status_code == 302
    assert bakery.pictures.count() == 2


@pytest.mark.both_databases
def test_nothing_changes_with_an_error(member: Client, bakery: Listing) -> None:
    answer = save(member, bakery, phone="1", hours_fri="9", logo=file())
    assert answer.status_code == 422
    assert 'href="#id_hours_fri">Friday: The time must be' in text(answer)
    assert "<title>Error: " in text(answer)
    assert (reloaded(bakery).phone, MediaImage.objects.exists()) == ("", False)


@pytest.mark.both_databases
def test_a_term_is_paid_with_a_test_payment(member: Client, owner: Any) -> None:
    plan = make_plan("One year")
    featured = make_plan("A month at the top", kind="featured", months=1, price_cents=2_500)
    listing = submit(owner)
    publish_listing(listing=listing)
    page = member.get(path(listing))
    assert "Awaiting payment" in text(page)
    assert [each["plan"] for each in page.context["plans"]] == [plan, featured]
    answers = [member.post(path(listing, "buy", plan.pk)) for _ in range(2)]
    payment = Payment.objects.get()
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert member.get(path(listing)).context["purchases"] == []
    press(payment)
    back = member.get(payment.return_path)
    assert "Thank you! We've received your payment for One year." in text(back)
    assert "Online until" in text(back)
    assert [row[:2] for row in back.context["purchases"]] == [("One year", "$120.00")]
    assert "Thank you!" not in text(member.get(path(listing)))
    # It is of another listing, or of nobody.
    other = make_listing("Other", owner=owner)
    for wrong in (payment.return_path.rpartition("=")[2], "0", "x", "9" * 30, "\0"):
        assert "Thank you!" not in text(member.get(path(other), {"purchase": wrong}))


def test_what_cannot_be_bought(member: Client, bakery: Listing) -> None:
    term, off = make_plan("One year"), make_plan("Former", enabled=False)
    featured = make_plan("Featured", kind="featured")
    # It has no end that could be extended.
    assert [each["plan"] for each in member.get(path(bakery)).context["plans"]] == [featured]
    for plan in (term.pk, off.pk, 999):
        assert member.post(path(bakery, "buy", plan)).status_code == 404
    assert member.get(path(bakery, "buy", featured.pk)).status_code == 405
    set_setting(key="payments.allow_test_payments", value=False)
    assert "Payments aren't available at the moment." in text(member.get(path(bakery)))
    assert ">Pay<" not in text(member.get(path(bakery)))
    assert member.post(path(bakery, "buy", featured.pk)).headers["Location"] == path(bakery)
    assert 'role="alert"' in text(member.get(path(bakery)))


def test_a_listing_is_archived(member: Client, owner: Any, bakery: Listing) -> None:
    assert "Archive Noor's Bakery?" in text(member.get(path(bakery, "archive")))
    assert reloaded(bakery).status == "published"
    for _ in range(2):
        assert member.post(path(bakery, "archive")).headers["Location"] == path(bakery)
    page = member.get(path(bakery))
    assert reloaded(bakery).status == "archived"
    assert (page.context["form"], page.context["plans"]) == (None, [])
    assert member.post(path(bakery), {"name": "Back", "timezone": "UTC"}).headers["Location"] == path(bakery)
    assert reloaded(bakery).name == "Noor's Bakery"


def test_pages_are_never_cached(member: Client, bakery: Listing) -> None:
    for each in (path(bakery), path(bakery, "archive")):
        assert member.get(each).headers["Cache-Control"] == "private, no-store", each


def test_forged_requests_are_refused(owner: Any, bakery: Listing) -> None:
    forged = Client(enforce_csrf_checks=True)
    forged.force_login(owner)
    plan = make_plan()
    for each in (path(bakery), path(bakery, "archive"), path(bakery, "buy", plan.pk)):
        assert forged.post(each, {"name": "Forged", "timezone": "UTC"}).status_code == 403, each
    assert reloaded(bakery).status == "published"


def test_a_listing_that_was_archived_meanwhile(member: Client, owner: Any, bakery: Listing) -> None:
    sent = form(member, bakery, phone="1")
    archive_own_listing(listing=bakery, user=owner)
    member.post(path(bakery), sent)
    assert reloaded(bakery).phone == ""
