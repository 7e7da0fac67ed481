"""Somebody chooses a plan, signs up, confirms, is a member, changes the plan and cancels, with a browser that runs no scripts."""

import re

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.members.models import Member
from commerce.members.services import save_plan
from tests.people import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_works(plain_page: Page) -> None:
    switch_feature(name="members", on=True)
    for name, price in (("Friend", 500), ("Patron", 100_000)):
        save_plan(values={"name": name, "price_cents": price, "interval": "year"})
    visitor = plain_page
    visitor.goto("/membership")
    visitor.get_by_role("link", name="Join Patron").click()
    visitor.get_by_label("Name").fill("Nina van Dyck")
    visitor.get_by_label("Email address").fill("nina@example.com")
    visitor.get_by_label("Password").fill(PASSWORD)
    visitor.get_by_role("button", name="Sign up").click()
    expect(visitor).to_have_url(re.compile("/accounts/confirm-email/$"))
    assert not Member.objects.exists()
    found = re.search(r"/accounts/confirm-email/\S+", OutgoingMail.objects.get().words.text)
    assert found
    visitor.goto(found[0])
    visitor.get_by_role("button").last.click()

    expect(visitor.get_by_role("radio", name="Patron")).to_be_checked()
    visitor.get_by_role("radio", name="Friend").check()
    visitor.get_by_role("button", name="Save plan").click()
    expect(visitor.get_by_role("status")).to_contain_text("Your plan starts once we've received your payment.")
    expect(visitor.get_by_text("Friend, $5.00 a year")).to_be_visible()

    visitor.get_by_role("link", name="Cancel membership").click()
    visitor.get_by_role("button", name="Cancel membership").click()
    expect(visitor.get_by_text("Your membership is cancelled.").first).to_be_visible()
    member = Member.objects.get()
    assert (member.name, member.status) == ("Nina van Dyck", "cancelled")
    visitor.get_by_role("link", name="Back to my account").click()
    visitor.get_by_role("link", name="Manage membership").click()
    visitor.get_by_role("button", name="Rejoin").click()
    expect(visitor.get_by_role("status").first).to_contain_text("Welcome! You're now a member.")
