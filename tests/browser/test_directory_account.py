"""A member submits a listing, pays for it, changes it and claims another one; axe finds nothing on the pages of owners."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.media.services.library import upload
from commerce.directory.models import Listing, ListingChange
from commerce.directory.services.saving import save_listing
from commerce.directory.services.statuses import publish_listing
from commerce.directory.services.submitting import change_own_listing
from tests.commerce.directory.builders import (
    ADDRESS,
    DAILY,
    HERE,
    buy,
    mails,
    make_category,
    make_listing,
    make_owner,
    make_plan,
    reloaded,
    submit,
)
from tests.media.files import jpeg, png

from .axe import Audit
from .conftest import SignIn
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def noor(transactional_db: None) -> Any:
    switch_feature(name="directory", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    return make_owner()


def test_a_listing(noor: Any, page: Page, sign_in_page: SignIn) -> None:
    make_category("Crafts")
    make_category("Food")
    make_plan("One year")
    page.goto("/directory/submit")
    expect(page.get_by_role("link", name="Sign in").last).to_be_visible()
    sign_in_page(page.context, noor)
    page.goto("/directory/submit")
    page.get_by_label("Name").fill("Noor's Bakery")
    page.get_by_label("Food").check()
    page.get_by_label("City").fill("Brattleboro")
    page.get_by_label("Monday", exact=True).fill("07:00-12:00, 14-25")
    page.get_by_label("Logo").set_input_files([{"name": "logo.png", "mimeType": "image/png", "buffer": png()}])
    page.get_by_role("button", name="Submit listing").click()
    page.get_by_role("link", name="Monday: The time must be a valid time, as in 09:00.").click()
    expect(page.get_by_label("Monday", exact=True)).to_be_focused()
    page.get_by_label("Monday", exact=True).fill("07:00-12:00, 14:00-18:00")
    page.get_by_role("button", name="Copy Monday to Friday").click()
    expect(page.get_by_label("Friday")).to_have_value("07:00-12:00, 14:00-18:00")
    expect(page.get_by_label("Saturday")).to_have_value("")
    page.get_by_label("Logo").set_input_files([{"name": "logo.png", "mimeType": "image/png", "buffer": png()}])
    page.get_by_role("button", name="Submit listing").dblclick()
    expect(page.get_by_role("heading", level=1)).to_have_text("Noor's Bakery")
    expect(page.get_by_text("Awaiting moderation")).to_be_visible()
    listing = Listing.objects.get()
    assert listing.logo is not None
    assert [bool(listing.hours[day]) for day in ("mon", "fri", "sat")] == [True, True, False]

    publish_listing(listing=listing)
    page.goto("/accounts/listings/")
    page.get_by_role("link", name="Pay Noor's Bakery").click()
    page.get_by_role("button", name="Pay One year").click()
    page.get_by_role("button", name="Pay $120.00").click()
    expect(page.get_by_role("status").first).to_contain_text("We've received your payment for One year.")
    expect(page.get_by_text("Online until").first).to_be_visible()

    page.get_by_label("Phone").fill("+1 802 555 0199")
    page.get_by_label("Name").fill("Noor's Bread")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status").first).to_contain_text("appear once we've reviewed them")
    expect(page.get_by_role("region", name="Awaiting moderation")).to_contain_text("Noor's Bread")
    changed = reloaded(listing)
    assert (changed.phone, changed.name) == ("+1 802 555 0199", "Noor's Bakery")
    assert ListingChange.objects.get().values == {"name": "Noor's Bread"}


def test_a_claim(noor: Any, plain_page: Page, sign_in_page: SignIn) -> None:
    """Without scripts."""
    page = plain_page
    listing = make_listing(email="hello@reyes.example")
    sign_in_page(page.context, noor)
    page.goto("/directory/reyes-ceramics/claim")
    page.get_by_role("button", name="Send code").click()
    expect(page.get_by_role("status").first).to_contain_text("We've sent a code to h•••@reyes.example.")
    found = re.search(r"\b\d{6}\b", mails("listing_claim_code")[0].words.text)
    assert found
    page.get_by_label("Code").fill(f"{(int(found[0]) + 1) % 1_000_000:06}")
    page.get_by_role("button", name="Claim listing").click()
    expect(page.get_by_role("alert")).to_contain_text("You have 4 attempts left.")
    page.get_by_label("Code").fill(found[0])
    page.get_by_role("button", name="Claim listing").click()
    expect(page.get_by_role("status").first).to_contain_text("The listing is yours now.")
    assert reloaded(listing).owner == noor
    page.get_by_label("Description").fill("Bowls, mugs and plates.")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status").first).to_contain_text("Your changes have been saved.")
    page.get_by_role("link", name="Archive this listing").click()
    page.get_by_role("button", name="Archive listing").click()
    expect(page.get_by_role("status").first).to_contain_text("has been archived")
    assert reloaded(listing).status == "archived"


def busy_listing(owner: Any) -> Listing:
    """A listing with everything that its page can show."""
    make_plan("One year", description="With a reminder before it ends.")
    make_plan("A month at the top", kind="featured", months=1, price_cents=2_500)
    pictures = [upload(file=_file(f"{number}.jpg")).pk for number in range(4)]
    listing = make_listing(
        "Noor's Bakery and Coffee House",
        owner=owner,
        categories=[make_category(name).pk for name in ("Food", "Coffee", "Restaurants and bars")],
        description="Bread from our own oven.\n\nCome in!",
        hours={**DAILY, "sun": []},
        special_hours=[{"date": "2026-12-24", "hours": [{"open": "09:00", "close": "12:00"}]}],
        logo=upload(file=_file("logo.jpg")).pk,
        cover=upload(file=_file("cover.jpg")).pk,
        pictures=pictures,
        expires_at=timezone.now() - timedelta(minutes=1),
        phone="+1 802 555 0100",
        **ADDRESS,
        **HERE,
    )
    buy(listing)
    change_own_listing(listing=listing, user=owner, values={"name": "Noor's Bread", "city": "Putney", "state": ""})
    return reloaded(listing)


def _file(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, jpeg(600, 450))


def test_axe_finds_nothing(noor: Any, page: Page, sign_in_page: SignIn) -> None:
    audit = Audit(page)

    def check(name: str) -> None:
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        picture(page, f"directory-{name}")

    listing = busy_listing(noor)
    free = make_listing(email="hello@reyes.example")
    claim = reverse("directory_claim", args=[free.slug])
    for path, name in (("/directory/submit", "submit-guest"), (claim, "claim-guest")):
        page.goto(path)
        check(name)
    sign_in_page(page.context, noor)
    page.goto("/directory/submit")
    check("submit")
    page.get_by_label("Monday", exact=True).fill("nine to five")
    page.get_by_role("button", name="Submit listing").click()
    check("submit-errors")
    save_listing(values={"name": "Archived", "status": "archived", "owner": noor})
    submit(noor, "Noor's Catering")
    own = reverse("directory_account_listing", args=[listing.pk])
    pending = reverse("directory_account_listing", args=[Listing.objects.get(name="Noor's Catering").pk])
    archived = reverse("directory_account_listing", args=[Listing.objects.get(name="Archived").pk])
    shown = {"account-list": "/accounts/listings/", "account": own, "account-pending": pending, "account-archived": archived}
    page.goto(own)
    for image in page.locator("form img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("image => image.naturalWidth") > 0
    for name, path in {**shown, "archive": f"{own}archive/", "claim": claim}.items():
        page.goto(path)
        check(name)
    page.get_by_role("button", name="Send code").click()
    check("claim-code")
    page.get_by_role("button", name="Claim listing").click()
    check("claim-errors")
    page.get_by_label("How are you connected").fill("I'm the potter.")
    page.get_by_role("button", name="Send message").click()
    check("claim-message")
    set_setting(key="directory.submissions_per_day", value=1)
    page.goto("/directory/submit")
    page.get_by_label("Name").fill("Another one")
    page.get_by_role("button", name="Submit listing").click()
    check("submit-limit")
    assert not audit.found
