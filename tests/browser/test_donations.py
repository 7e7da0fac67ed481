"""A monthly donation in somebody's memory is given, thanked for, changed and cancelled; and a fundraiser is started."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Campaign, Donation, Fundraiser, RecurringDonation
from commerce.donations.selectors.donations import DONATION_LINK, MANAGE_LINK
from commerce.donations.selectors.links import FUNDRAISER_LINK
from tests.builders import make_image, make_page
from tests.commerce.donations.builders import make_campaign, make_donation, make_fundraiser, paid_donation
from tests.commerce.donations.page_builders import yesterday

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KILN = "/donate/a-kiln-for-the-mill"
STORY = "The old kiln has fired its last pot.\n\nFor thirty years it stood in the corner of the mill.\nNow it is cold."


@pytest.fixture
def kiln(transactional_db: None) -> Campaign:
    switch_feature(name="donations", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    return make_campaign(summary="A new kiln for the youth workshops.", story=STORY, has_fundraisers=True)


def fill_in(page: Page) -> None:
    page.get_by_label("First name").fill("Dana")
    page.get_by_label("Last name").fill("Reyes")
    page.get_by_label("Email address", exact=True).fill("dana@example.com")


def test_the_fee_is_written_as_in_the_site_s_country(kiln: Campaign, page: Page) -> None:
    set_setting(key="site.country", value="BR")
    page.goto("/donate")
    page.get_by_role("link", name="A kiln for the mill").click()
    page.get_by_role("radio", name="$50").check()
    page.get_by_role("button", name="Donate").click()
    page.get_by_role("radio", name="Other").check()
    page.get_by_label("Other amount in USD").fill("1.250,5")
    expect(page.locator("#fee-sum")).to_have_text("For US$1.250,50, this adds US$37,66: US$1.288,16 in total.")


def test_a_monthly_donation_in_memory_of_somebody(kiln: Campaign, page: Page) -> None:
    page.goto("/donate")
    page.get_by_role("link", name="A kiln for the mill").click()
    page.get_by_role("radio", name="Monthly").check()
    page.get_by_role("radio", name="$50").check()
    page.get_by_role("button", name="Donate").click()

    # The form goes on with what was chosen.
    expect(page.get_by_role("radio", name="Monthly")).to_be_checked()
    expect(page.locator("#fee-sum")).to_have_text("For $50, this adds $1.81: $51.81 in total.")
    expect(page.get_by_text("until you cancel")).to_be_visible()
    page.get_by_role("radio", name="Other").check()
    page.get_by_label("Other amount in USD").fill("1250.5")
    expect(page.locator("#fee-sum")).to_have_text("For $1,250.50, this adds $37.66: $1,288.16 in total.")
    page.get_by_label("Cover the transaction fee").check()
    page.get_by_label("Use my donation for").select_option("Youth workshops")
    expect(page.get_by_label("Name of the person")).to_be_hidden()
    page.get_by_role("radio", name="In memory of").check()
    page.get_by_label("Name of the person").fill("Alma Reyes")
    page.get_by_label("Email address to notify").fill("al@example.com")
    page.get_by_label("Personal message").fill("She taught us all to throw.")
    fill_in(page)
    page.get_by_role("button", name="Continue to payment").click()
    page.get_by_role("button", name="Pay $1,288.16").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you, Dana!")
    recurring, donation = RecurringDonation.objects.get(), Donation.objects.get()
    assert (donation.amount_cents, donation.fee_cover_cents, donation.number) == (125_050, 3766, "DON-1001")
    expect(page.get_by_text("In memory of Alma Reyes")).to_be_visible()
    path = page.get_by_role("link", name="Receipt (PDF)").get_attribute("href") or ""
    receipt = page.request.get(path)
    assert (receipt.headers["content-type"], receipt.body()[:5]) == ("application/pdf", b"%PDF-")
    tribute = OutgoingMail.objects.get(template="donation_tribute")
    assert (tribute.recipient, "She taught us all to throw." in tribute.text, "1,250" in tribute.text) == (
        "al@example.com",
        True,
        False,
    )

    # By the link in the mail.
    link = urlsplit(MANAGE_LINK.url(recurring)).path
    assert link in OutgoingMail.objects.get(template="donation_renewed").text
    page.goto(link)
    expect(page.get_by_text("Next payment")).to_be_visible()
    page.get_by_role("link", name="Change amount").click()
    page.get_by_label("Amount in USD").fill("20")
    expect(page.locator("#fee-sum")).to_have_text("For $20, this adds $0.91: $20.91 in total.")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status")).to_have_text("Your donation is now $20.91 a month.")
    page.get_by_role("link", name="Cancel donation").click()
    page.get_by_role("button", name="Cancel donation").click()
    expect(page.get_by_role("status")).to_contain_text("has been cancelled")
    recurring.refresh_from_db()
    assert (recurring.status, recurring.amount_cents, recurring.next_on) == ("cancelled", 2000, None)
    page.goto(KILN)
    expect(page.locator(".thermometer__raised")).to_contain_text("$1,250.50 raised of $10,000")


def test_without_scripts(kiln: Campaign, plain_page: Page) -> None:
    page = plain_page
    page.goto(KILN)
    page.get_by_role("radio", name="Other").check()
    page.get_by_label("Other amount in USD").fill("75")
    page.get_by_role("button", name="Donate").click()
    expect(page.locator("#fee-sum")).to_have_text("For $75, this adds $2.55: $77.55 in total.")
    page.get_by_role("button", name="Continue to payment").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter your last name.")
    page.get_by_role("link", name="Enter your last name.").click()
    expect(page.get_by_label("Last name")).to_be_focused()
    fill_in(page)
    page.get_by_role("button", name="Continue to payment").click()
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("alert")).to_contain_text("You haven't been charged")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Pay $75.00").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you, Dana!")


def test_a_fundraiser(kiln: Campaign, page: Page) -> None:
    page.goto(KILN)
    page.get_by_role("link", name="Start a fundraiser").click()
    page.get_by_label("Title").fill("Noor runs")
    page.get_by_label("Goal in USD").fill("500")
    page.get_by_label("Your name").fill("Noor de Vries")
    page.get_by_label("Your email address").fill("noor@example.com")
    page.get_by_role("button", name="Start fundraiser").click()
    expect(page.get_by_text("Waiting for approval.")).to_be_visible()
    page.get_by_label("Your story").fill("Twenty miles.")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("status")).to_have_text("Your changes have been saved.")
    assert Fundraiser.objects.get().story == "Twenty miles."


def fill(kiln: Campaign) -> Fundraiser:
    """More to look at: pictures, donors and fundraisers; return a fundraiser with a donation."""
    Campaign.objects.filter(pk=kiln.pk).update(image=make_image("kiln.png").pk)
    make_campaign("Roof for the old barn", goal_cents=None)
    make_campaign("Winter coats", ends_on=yesterday())
    fundraiser = make_fundraiser(kiln, story="I'm running the half marathon.\n\nPlease sponsor me!")
    make_fundraiser(kiln, "Birthday instead of presents", organizer="Kim Oduya-Featherstonehaugh", goal_cents=None)
    for name, message in (("Alex", "Keep the wheels turning."), ("Sam", "")):
        paid_donation(kiln, first_name=name, message=message, amount_cents=123_456, anonymous=not message)
    paid_donation(kiln, fundraiser, amount_cents=7500, message="Go, Noor!")
    return fundraiser


def test_axe_finds_nothing(kiln: Campaign, page: Page) -> None:
    audit = Audit(page)

    def check(name: str, path: str = "") -> None:
        if path:
            page.goto(path)
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        picture(page, name)

    fundraiser = fill(kiln)
    check("donations-causes", "/donate")
    check("donations-campaign", KILN)
    check("donations-fundraiser", f"{KILN}/{fundraiser.slug}")
    check("donations-ended", "/donate/winter-coats")
    check("donations-row", make_page({"type": "donate", "value": {"heading": "", "text": "", "campaign": str(kiln.pk)}}).url)
    page.goto("/donations/give/a-kiln-for-the-mill?amount=other&frequency=monthly")
    page.get_by_role("radio", name="In memory of").check()
    page.get_by_text("Add your postal address").click()
    check("donations-form")
    page.get_by_role("button", name="Continue to payment").click()
    check("donations-form-errors")
    running = paid_donation(kiln, frequency="monthly", covers_fee=True, tribute={"type": "memory", "name": "Alma Reyes"})
    manage = MANAGE_LINK.path(running.recurring or RecurringDonation())
    check("donations-thanks", DONATION_LINK.path(running))
    check("donations-unpaid", DONATION_LINK.path(make_donation(kiln)))
    for path in ("", "amount", "cancel"):
        check(f"donations-manage-{path}", manage + path)
    check("donations-start", f"{KILN}/start-a-fundraiser")
    check("donations-edit", FUNDRAISER_LINK.path(fundraiser))
    assert audit.found == {}


def test_axe_finds_nothing_in_an_account(kiln: Campaign, page: Page, sign_in_page: Callable[..., None]) -> None:
    mia: Any = create_member(email="mia@example.com", password="a-long-passphrase", name="Mia Sand")
    paid_donation(kiln, frequency="yearly", email="mia@example.com")
    sign_in_page(page.context, mia)
    audit = Audit(page)
    audit.visit("/accounts/donations/")
    picture(page, "donations-account")
    assert audit.found == {}
