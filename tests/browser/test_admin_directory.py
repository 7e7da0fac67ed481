"""Staff write a listing with hours and a special day, in a form with tabs, and publish a change of its owner."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.content.demo.library import stock
from cms_api.flags.services import switch_feature
from commerce.directory.demo import load
from commerce.directory.models import Claim, Listing, Purchase
from commerce.members.demo import load as load_members
from tests import people
from tests.commerce.directory.admin_builders import account, change

from .axe import LIGHT, Audit
from .conftest import Open, SignIn
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: How long the admin's scripts and transitions may take, in milliseconds.
SETTLE = 300


@pytest.fixture
def admin(open_page: Open, sign_in_page: SignIn) -> tuple[Page, list[str]]:
    """An empty page, signed in as Alice, and what goes wrong on it."""
    switch_feature(name="directory", on=True)
    page, problems = open_page("about:blank")
    sign_in_page(page.context, people.alice())
    return page, problems


def test_it_works(admin: tuple[Page, list[str]]) -> None:
    page, problems = admin
    dana = account()
    page.goto("/admin/listings/new/")
    page.get_by_role("textbox", name="Name").fill("Reyes Ceramics")
    page.get_by_role("tab", name="Hours").click()
    page.get_by_label("Monday").fill("9-17")
    page.get_by_label("Friday").fill("17:00-02:00")
    page.get_by_role("button", name="Insert a block").last.click()
    page.get_by_label("Date").fill("2199-12-24")
    page.get_by_role("tab", name="Publication and owner").click()
    page.get_by_role("button", name="Choose an account").click()
    page.get_by_role("link", name="Dana Reyes").click()
    page.get_by_role("button", name="Create", exact=True).click()
    # The tab with the error is open.
    expect(page.get_by_text("The time must be a valid time, as in 09:00.").first).to_be_visible()
    page.get_by_label("Monday").fill("09:00-17:00")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_text("December 24, 2199")).to_be_visible()
    expect(page.get_by_text("5:00 PM to 2:00 AM")).to_be_visible()
    made = Listing.objects.get()
    assert made.owner == dana

    change(made, name="Reyes Pottery")
    page.reload()
    page.get_by_role("button", name="Approve changes").click()
    expect(page.get_by_text("The changes to Reyes Ceramics are published.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Reyes Pottery")
    assert problems == []


@pytest.mark.audit
def test_axe_finds_nothing(admin: tuple[Page, list[str]]) -> None:
    page, problems = admin
    switch_feature(name="members", on=True)
    stock()
    load_members(1, lambda count: None)
    load(1, lambda count: None)
    made = Listing.objects.get(slug="the-weir-cafe")
    purchase, claim = Purchase.objects.latest("pk"), Claim.objects.latest("pk")
    audit = Audit(page, LIGHT)
    for name in (
        *("", "new/", f"inspect/{made.pk}/", f"edit/{made.pk}/", f"archive/{made.pk}/", "categories/", "plans/", "plans/new/"),
        *("purchases/", f"purchases/inspect/{purchase.pk}/", "claims/", f"claims/inspect/{claim.pk}/"),
    ):
        audit.visit(f"/admin/listings/{name}", settle=SETTLE)
        picture(page, f"admin-directory-{name.split('/')[0] or 'list'}")
    assert (audit.found, problems) == ({}, [])
