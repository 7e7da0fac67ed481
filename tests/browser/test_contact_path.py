"""A visitor fills a form in on a page: the business has a contact, its timeline, a mail and a webhook; a robot leads to none."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from cms_api.forms.models import Submission
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.services.deliveries import deliver_due
from commerce.crm.models import Activity, Contact
from tests.builders import field, make_form, make_page, make_token
from tests.client import Api
from tests.webhooks.conftest import Subscribe, authority, receiver, subscribe, trusting, webhooks_on
from tests.webhooks.receiver import Receiver

__all__ = ["authority", "receiver", "subscribe", "trusting", "webhooks_on"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def address(settings: Any, live_server: Any) -> str:
    """The path of a page with a form."""
    settings.BUSINESS_EMAIL = "office@example.org"
    switch_feature(name="crm", on=True)
    form = make_form(
        field("name", "text", label="Your name", required=True),
        field("email", "email", label="Your email address", required=True),
        field("company", "text", label="Company"),
        field("phone", "phone", label="Phone"),
        field("message", "textarea", label="Message"),
        slug="hire",
        name="Hire a room",
        success_message="Thank you, we have it.",
    )
    page = make_page({"type": "form", "value": {"heading": "Hire", "text": "", "form": form.slug}}, title="Rooms")
    return f"/{page.slug}/"


def fill_in(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Your name").fill("Dana Reyes")
    page.get_by_label("Your email address").fill("Dana@Example.com")
    page.get_by_label("Company").fill("Reyes Ceramics, Inc.")
    page.get_by_label("Phone").fill("+1 802 555 0142")
    page.get_by_label("Message").fill("May we come on Friday?")


def send(page: Page) -> None:
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status")).to_contain_text("Thank you, we have it.")


def contacts() -> Any:
    return Api(make_token("crm:read")).data("/crm/contacts", email="dana@example.com")


def test_it_works(page: Page, address: str, subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe("/hook", "crm.contact.created", "crm.contact.updated", "form.submitted")
    fill_in(page, address)
    send(page)

    submission = Submission.objects.get()
    assert (submission.is_spam, submission.source) == (False, "site")
    (found,) = contacts()
    assert (found["id"], found["name"], found["phone"], found["company"]["name"], found["source"]) == (
        submission.contact_id,
        "Dana Reyes",
        "+1 802 555 0142",
        "Reyes Ceramics, Inc.",
        "form",
    )
    line = Activity.objects.get(contact=submission.contact_id)
    assert (line.kind, line.summary, line.reference) == ("form", "Hire a room", f"form:{submission.pk}")
    assert line.link == f"/admin/forms/submissions/inspect/{submission.pk}/"
    mail = OutgoingMail.objects.get()
    assert (mail.recipient, mail.reply_to.lower()) == ("office@example.org", "dana@example.com")
    assert "May we come on Friday?" in mail.text

    deliver_due()
    payloads = {request.json["event"]: request.json["data"] for request in receiver.at("/hook")}
    assert len(receiver.at("/hook")) == 2
    assert payloads["crm.contact.created"] == found
    assert payloads["form.submitted"]["contact_id"] == found["id"]

    fill_in(page, address)
    send(page)
    deliver_due()
    assert [request.json["event"] for request in receiver.at("/hook")].count("crm.contact.created") == 1
    assert not [request for request in receiver.at("/hook") if request.json["event"] == "crm.contact.updated"]
    assert Activity.objects.filter(contact=found["id"]).count() == 2


def test_an_editor_follows_it_from_the_submission_to_the_timeline(page: Page, admin_page: Page, address: str) -> None:
    fill_in(page, address)
    send(page)
    admin_page.goto("/admin/forms/submissions/")
    admin_page.get_by_role("link", name="Dana Reyes, Dana@Example.com").click()
    admin_page.get_by_role("link", name="Open in the CRM").click()
    expect(admin_page.get_by_role("heading", level=1)).to_contain_text("Dana Reyes")
    expect(admin_page.locator("main")).to_contain_text("Reyes Ceramics, Inc.")
    admin_page.get_by_role("link", name="Hire a room").click()
    expect(admin_page).to_have_url(re.compile(r"/admin/forms/submissions/inspect/\d+/$"))


def test_a_robot_is_quarantined(page: Page, address: str, subscribe: Callable[..., Any], receiver: Receiver) -> None:
    subscribe("/hook", "*")
    fill_in(page, address)
    page.evaluate("document.querySelector('[name=hp_url]').value = 'https://spam.example'")
    send(page)
    deliver_due()
    submission = Submission.objects.get()
    assert (submission.is_spam, submission.contact_id) == (True, None)
    assert (contacts(), Contact.objects.count(), Activity.objects.count(), OutgoingMail.objects.count()) == ([], 0, 0, 0)
    assert receiver.requests == []
