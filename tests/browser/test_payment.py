"""A member pays for a plan with a browser that runs no scripts: at another site, and by a test payment."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting, switch_feature
from commerce.members.models import Member
from commerce.members.services import save_plan
from commerce.payments.models import Payment
from tests.commerce.payments.stripe_stub import StripeStub
from tests.people import PASSWORD

from .axe import Audit
from .conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def member(transactional_db: None) -> Member:
    switch_feature(name="members", on=True)
    save_plan(values={"name": "Friend", "price_cents": 500, "interval": "year"})
    return Member.objects.get(user=create_member(email="nina@example.com", password=PASSWORD, name="Nina"))


def choose(visitor: Page) -> None:
    visitor.goto("/accounts/membership/")
    visitor.get_by_role("radio", name="Friend").check()
    visitor.get_by_role("button", name="Save plan").click()


def test_it_works(stripe: StripeStub, member: Member, plain_page: Page, sign_in_page: SignIn) -> None:
    sign_in_page(plain_page.context, member.user)
    choose(plain_page)
    expect(plain_page.get_by_role("heading")).to_have_text("Membership: Friend")
    plain_page.get_by_role("link", name="Back").click()
    expect(plain_page.get_by_text("Awaiting payment")).to_be_visible()
    plain_page.get_by_role("button", name="Pay now").click()
    plain_page.get_by_role("button", name="Pay by card").click()
    expect(plain_page.get_by_text("Paid until")).to_be_visible()
    assert Payment.objects.get().status == "succeeded"


def test_a_test_payment(member: Member, page: Page, sign_in_page: SignIn) -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    sign_in_page(page.context, member.user)
    choose(page)
    audit = Audit(page)
    expect(page.get_by_text("Test mode: no money moves.")).to_be_visible()
    audit.check("confirm")
    payment = Payment.objects.get()
    page.goto(payment.url.replace("/confirm", "/return"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Your payment isn't complete")
    audit.check("open")
    page.get_by_role("link", name="Continue to payment").click()
    page.get_by_role("button", name="Pay $5.00").click()
    expect(page.get_by_text("Paid until")).to_be_visible()
    audit.check("membership")
    assert not audit.found
