"""Axe finds nothing on the public pages, on a desk in light and on a phone in the dark."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from playwright.sync_api import Page

from cms_api.accounts.services import create_member
from cms_api.content.models import ContentItem
from cms_api.flags.services import set_setting, switch_feature
from commerce.loyalty.demo import load as load_loyalty
from commerce.marketing.demo import load as load_marketing
from commerce.marketing.models import MailingList, Subscriber
from commerce.marketing.services.links import confirm_url, preferences_url, unsubscribe_url
from commerce.members.demo import load as load_members
from commerce.members.models import Member
from events.models import Rsvp
from events.selectors.rsvps import CANCEL, offered_dates
from events.services.rsvps import reply
from tests import people
from tests.builders import make_page

from .axe import Audit, violations
from .conftest import Open, SignIn

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

PAGES = ("/", "/about/", "/find-us/", "/summer-school/", "/search", "/search?q=open", "/search?q=nothing-at-all")
CONTENT = (
    *("/blog-post", "/blog-post?q=mill", "/blog-post?q=nothing-at-all", "/service", "/projects"),
    *("/blog-post/a-year-in-numbers", "/blog-post/a-year-in-numbers?commented=1", "/showcase/turbine-hall"),
)
EVENTS = (
    *("/events", "/events?tab=past", "/events?q=nothing-at-all", "/events?view=calendar", "/events?view=calendar&month=1999-01"),
    *("/events/choir-on-thursdays", "/events/river-festival", "/events/category/music"),
)
FORMS = ("/forms/hire-a-room", "/forms/contact", "/forms/contact?sent=contact")

ACCOUNTS = (
    *("/accounts/signup/", "/accounts/inactive/", "/accounts/confirm-email/", "/accounts/confirm-email/MTI3/"),
    *("/accounts/password/reset/", "/accounts/password/reset/done/", "/accounts/password/reset/key/1-x/"),
    "/accounts/password/reset/key/done/",
)


def make_reply() -> Rsvp:
    """Somebody comes to the next rehearsal of the demo."""
    event = ContentItem.objects.get(slug="choir-on-thursdays")
    (row,) = offered_dates(event, 1)
    found = reply(event=event, start=str(row.pk), name="Dana Reyes", email="dana@example.org", party_size=2).rsvp
    assert found
    return found


def test_the_audit_finds_what_is_wrong(page: Page) -> None:
    page.set_content("<html><body><h1>Grey</h1><p style='color: #ccc; background: #fff'>Words</p><img></body></html>")
    found = {each.partition(":")[0] for each in violations(page)}
    assert found >= {"color-contrast", "image-alt", "html-has-lang", "document-title"}


@pytest.mark.parametrize("paths", [PAGES, CONTENT, EVENTS, FORMS], ids=["pages", "content", "events", "forms"])
def test_public_pages(open_page: Open, paths: tuple[str, ...]) -> None:
    audit = Audit(open_page("about:blank")[0])
    for path in paths:
        audit.visit(path)
    assert audit.found == {}


def test_what_visitors_are_told(open_page: Open) -> None:
    page, _ = open_page("/nothing/here")
    audit = Audit(page)
    audit.check("/nothing/here")
    audit.visit(CANCEL.path(make_reply()), name="to cancel")
    page.goto("/events/choir-on-thursdays")
    page.get_by_role("button", name="I'm coming").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes in a reply")
    page.goto("/forms/hire-a-room")
    page.get_by_role("button", name="Send request").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes")
    page.goto("/blog-post/a-year-in-numbers")
    page.get_by_role("link", name="Write a comment").click()
    audit.check("writing a comment")
    page.get_by_role("button", name="Submit comment").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes in a comment")
    assert audit.found == {}


def test_pages_of_accounts(open_page: Open, accounts_on: None, sign_in_page: SignIn) -> None:
    page, problems = open_page("/accounts/login/")
    audit = Audit(page)
    audit.check("/accounts/login/")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes")
    for path in ACCOUNTS:
        audit.visit(path)
    member = create_member(email="mia@example.com", password=people.PASSWORD, name="Mia Sand")
    EmailAddress.objects.create(user=member, email="new@example.com")
    sign_in_page(page.context, member)
    for path in ("/accounts/", "/accounts/email/", "/accounts/password/change/", "/accounts/logout/"):
        audit.visit(path)
    assert audit.found == {}
    assert problems == []


def test_pages_of_members(open_page: Open, sign_in_page: SignIn) -> None:
    switch_feature(name="loyalty", on=True)
    load_members(1, lambda count: None)
    load_loyalty(1, lambda count: None)
    page, problems = open_page("/membership")
    audit = Audit(page)
    audit.check("/membership")
    for status in ("active", "cancelled"):
        member = Member.objects.filter(status=status, plan__slug="friend").first()
        assert member
        sign_in_page(page.context, member.user)
        for path in ("/accounts/", "/accounts/membership/?plan=family", "/accounts/membership/cancel/", "/accounts/points/"):
            audit.visit(path, name=f"{path} {status}")
    assert audit.found == {}
    assert problems == []


@pytest.mark.usefixtures("own_budgets")
def test_pages_of_marketing(open_page: Open, settings: Any) -> None:
    switch_feature(name="marketing", on=True)
    load_marketing(1, lambda count: None)
    row = {"type": "newsletter", "value": {"heading": "News", "text": "<p>Twice a <b>month</b>.</p>", "lists": [], "button": ""}}
    active, waiting, gone = (Subscriber.objects.filter(status=status).first() for status in ("active", "pending", "unsubscribed"))
    assert active
    assert waiting
    assert gone
    page, _ = open_page("/subscribe")
    audit = Audit(page)
    audit.check("/subscribe")
    page.get_by_role("button", name="Subscribe").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes")
    links = {
        "asks to confirm": confirm_url(waiting, lists=list(MailingList.objects.all())),
        "confirmed before": confirm_url(active),
        "nobody's to confirm": "/subscribe/confirm/1:x",
        "asks to unsubscribe": unsubscribe_url(active),
        "unsubscribed before": unsubscribe_url(gone),
        "nobody's to unsubscribe": "/unsubscribe/1:x",
        "choices": preferences_url(active),
        "choices of who left": preferences_url(gone),
        "nobody's choices": "/subscriptions/1:x",
        "a row": f"/{make_page(row, title='Stay in touch').slug}/",
        "sent": "/subscribe?sent=1",
    }
    for name, link in links.items():
        page.goto(link.removeprefix(settings.BASE_URL))
        audit.check(name)
    for name, link, button in (
        ("confirmed", links["asks to confirm"], "Confirm subscription"),
        ("saved", links["choices"], "Save"),
        ("unsubscribed", links["asks to unsubscribe"], "Unsubscribe"),
    ):
        page.goto(link.removeprefix(settings.BASE_URL))
        page.get_by_role("button", name=button).click()
        page.get_by_role("status").wait_for()
        audit.check(name)
    page.goto(preferences_url(waiting).removeprefix(settings.BASE_URL))
    page.get_by_label("First name").fill("x" * 300)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("alert").wait_for()
    audit.check("mistakes in choices")
    assert audit.found == {}


def test_documentation_of_the_api(open_page: Open) -> None:
    for name in ("api", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="api.public_documentation", value=True)
    page, problems = open_page("/api-documentation")
    audit = Audit(page)
    audit.check("/api-documentation")
    try_requests(page)
    audit.check("forms and responses")
    page.get_by_role("searchbox", name="Search", exact=True).fill("nothing-at-all")
    audit.check("nothing found")
    assert audit.found == {}
    assert problems == ["Failed to load resource: the server responded with a status of 401 (Unauthorized)"] * 2


def try_requests(page: Page) -> None:
    """Send a request that reads and one that writes, without a token."""
    for anchor in ("content_items_list", "media_create"):
        operation = page.locator(f"#{anchor}")
        operation.get_by_text("Try it", exact=True).click()
        operation.get_by_text("Optional parameters").click()
        if anchor == "media_create":
            operation.get_by_label("file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"})
        operation.get_by_role("button", name="Send").click()
        operation.get_by_role("region", name="Response body").wait_for()
