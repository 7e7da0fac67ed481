"""A visitor subscribes, confirms, chooses and unsubscribes, with a browser that runs no scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.marketing.models import MailingList, Subscriber
from commerce.marketing.services.links import preferences_url
from tests.builders import make_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.usefixtures("own_budgets")
def test_it_works(plain_page: Page, settings: Any) -> None:
    switch_feature(name="marketing", on=True)
    for name in ("Workshops", "Concerts"):
        MailingList.objects.create(slug=name.lower(), name=name, tag=name.lower(), description="Twice a year.")
    row = {"type": "newsletter", "value": {"heading": "News by mail", "text": "", "lists": ["concerts"], "button": ""}}
    shown = make_page(row, title="Stay in touch")
    visitor = plain_page
    visitor.goto(f"/{shown.slug}/")
    visitor.get_by_role("main").get_by_role("link", name="Subscribe", exact=True).click()
    assert visitor.get_by_label("Concerts").is_checked()
    assert not visitor.get_by_label("Workshops").is_checked()
    visitor.get_by_label("Your email address").fill("dana")
    visitor.get_by_label("First name").fill("Dana")
    visitor.get_by_role("button", name="Subscribe").click()
    assert "Please fix 1 field" in visitor.get_by_role("alert").inner_text()
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_role("button", name="Subscribe").click()
    assert "We've sent you an email." in visitor.get_by_role("status").inner_text()
    text = OutgoingMail.objects.get().words.text
    visitor.goto(next(line for line in text.splitlines() if "/subscribe/confirm/" in line).removeprefix(settings.BASE_URL))
    visitor.get_by_role("button", name="Confirm subscription").click()
    assert "is confirmed" in visitor.get_by_role("status").inner_text()
    found = Subscriber.objects.get()
    assert (found.status, found.tags, found.name) == ("active", ["concerts"], "Dana")
    visitor.goto(preferences_url(found).removeprefix(settings.BASE_URL))
    visitor.get_by_label("Workshops").check()
    visitor.get_by_role("button", name="Save").click()
    assert "saved" in visitor.get_by_role("status").inner_text()
    visitor.get_by_role("button", name="Unsubscribe").click()
    assert "You've been unsubscribed from all of our emails." in visitor.get_by_role("status").inner_text()
    found.refresh_from_db()
    assert (found.status, found.tags) == ("unsubscribed", ["concerts", "workshops"])
