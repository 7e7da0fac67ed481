"""A ticket is opened by the form, answered in the admin, continued by email, solved and rated."""

from email.message import EmailMessage
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.support.demo import load
from commerce.support.models import Message, Ticket
from commerce.support.selectors.addresses import reply_address
from commerce.support.selectors.links import RATING_LINK, TICKET_LINK
from commerce.support.services import receive_mail, reply_as_staff, set_tags
from commerce.support.services.setup import save_canned_answer, save_rule, save_target
from commerce.support.types.files import NewFile
from tests.commerce.support.builders import make_agent, make_category, make_ticket

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Milliseconds: nobody fills in a form faster.
READING = 2100


@pytest.fixture
def desk(transactional_db: None, settings: Any) -> None:
    switch_feature(name="support", on=True)
    set_setting(key="support.csat", value=True)
    settings.SUPPORT_REPLY_ADDRESS = "support+{token}@help.example"
    settings.BUSINESS_EMAIL = settings.DEFAULT_FROM_EMAIL = "office@help.example"
    save_canned_answer(values={"title": "Replacement", "body": "Hello {{ name }}, a new mug is on its way.\n\n{{ agent }}"})
    make_category("Orders", description="Delivery and returns")


def mail(template: str) -> OutgoingMail:
    return OutgoingMail.objects.filter(template=template).latest("pk")


def answer_by_mail(ticket: Ticket, text: str) -> None:
    """Dana's mail program answers the last email."""
    reply = EmailMessage()
    reply["From"], reply["To"] = "Dana Reyes <dana@example.com>", reply_address(ticket)
    reply["Subject"], reply["Message-ID"] = f"Re: {ticket.subject}", "<1@mail.example.com>"
    reply.set_content(f"{text}\n\nOn Monday, the support team wrote:\n> A new mug is on its way.\n")
    receive_mail(raw=reply.as_bytes(), recipients=[reply_address(ticket)])


def test_a_ticket(desk: None, visitor_page: Page, admin_page: Page) -> None:
    visitor, admin = visitor_page, admin_page
    visitor.goto("/support")
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_label("What is it about?").select_option("Orders: Delivery and returns")
    visitor.get_by_label("Subject").fill("A broken mug")
    visitor.get_by_label("Message").fill("It has no handle.")
    visitor.get_by_label("Attachments").set_input_files([{"name": "mug.txt", "mimeType": "text/plain", "buffer": b"No handle."}])
    visitor.wait_for_timeout(READING)
    # Sent once.
    visitor.get_by_role("button", name="Send request").dblclick()
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Thank you!")
    ticket = Ticket.objects.get()
    assert (ticket.is_spam, ticket.status, str(ticket.category)) == (False, "open", "Orders")

    admin.goto("/admin/support/tickets/?status=awaiting_staff")
    admin.get_by_role("link", name="A broken mug").click()
    expect(admin.get_by_text("mug.txt")).to_be_visible()
    admin.get_by_label("Internal note").check()
    admin.get_by_label("Message").fill("The second one this month.")
    admin.get_by_role("button", name="Send", exact=True).click()
    expect(admin.get_by_text("Note added.")).to_be_visible()
    admin.get_by_label("Canned answer").select_option("Replacement")
    admin.get_by_role("button", name="Insert").click()
    expect(admin.get_by_label("Message")).to_have_value("Hello Dana, a new mug is on its way.\n\nalice@example.com")
    admin.get_by_role("button", name="Send", exact=True).click()
    expect(admin.get_by_text("Answer sent to dana@example.com.")).to_be_visible()
    expect(admin.locator(f"#message-{Message.objects.latest('pk').pk}")).to_be_in_viewport()
    ticket.refresh_from_db()
    assert (ticket.status, ticket.message_count) == ("pending", 3)
    assert "a new mug is on its way" in mail("support_reply").text

    answer_by_mail(ticket, "It has arrived, and it is blue!")
    ticket.refresh_from_db()
    assert (ticket.status, Message.objects.latest("pk").body) == ("open", "It has arrived, and it is blue!")
    admin.reload()
    expect(admin.get_by_text("It has arrived, and it is blue!", exact=True).first).to_be_visible()
    expect(admin.get_by_role("link", name="Original email (.eml)")).to_be_visible()

    # By the link in the mail: nothing internal is on the page.
    link = TICKET_LINK.path(ticket)
    assert link in mail("support_reply").text
    visitor.goto(link)
    expect(visitor.get_by_text("Waiting for our answer")).to_be_visible()
    expect(visitor.get_by_text("The second one this month.")).to_have_count(0)
    visitor.get_by_role("button", name="This solved my problem").click()
    expect(visitor.get_by_role("status")).to_contain_text("solved")
    link = RATING_LINK.path(ticket)
    assert link in mail("support_csat").text
    visitor.goto(link)
    visitor.get_by_role("radio", name="Very good").check()
    visitor.get_by_label("Anything you'd like to add?").fill("Quick and kind.")
    visitor.get_by_role("button", name="Send rating").click()
    expect(visitor.get_by_role("status")).to_contain_text("Thank you for your rating!")
    ticket.refresh_from_db()
    assert (ticket.status, ticket.csat_rating, ticket.csat_comment) == ("resolved", 5, "Quick and kind.")


def busy_ticket() -> Ticket:
    """A ticket with messages of every kind, and others beside it."""
    robin = make_agent("Robin Vale")
    save_rule(values={"name": "Everything", "assignees": [robin.pk]})
    save_target(priority="normal", first_response_minutes=480, resolution_minutes=2400)
    ticket = make_ticket(files=[NewFile("mug-without-its-handle.txt", b"No handle.", "text/plain")])
    make_ticket(subject="Another question about my order of last week", status="resolved")
    reply_as_staff(ticket=ticket, message="The second one this month.\nCheck the box.", internal=True, user=robin)
    reply_as_staff(ticket=ticket, message="We're sorry!\n\nSee https://example.org/returns for details.", user=robin)
    answer_by_mail(ticket, "Thank you, I shall look at it.\n\nDo I have to pay for the parcel?")
    set_tags(ticket=ticket, tags=["Returns", "VIP"])
    ticket.refresh_from_db()
    return ticket


def check(audit: Audit, page: Page, name: str, *, narrow: bool = True) -> None:
    audit.check(name)
    if narrow:
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
    picture(page, name)


def test_axe_finds_nothing(desk: None, page: Page) -> None:
    audit = Audit(page)
    ticket = busy_ticket()
    for path, name in (("/support", "form"), ("/support/thanks", "thanks")):
        page.goto(path)
        check(audit, page, f"support-{name}")
    page.goto("/support")
    page.get_by_role("button", name="Send request").click()
    check(audit, page, "support-form-errors")
    page.goto(TICKET_LINK.path(ticket))
    check(audit, page, "support-ticket")
    page.get_by_role("button", name="This solved my problem").click()
    check(audit, page, "support-solved")
    page.goto(RATING_LINK.path(ticket))
    check(audit, page, "support-rate")
    page.get_by_role("button", name="Send rating").click()
    check(audit, page, "support-rate-errors")
    assert audit.found == {}


def test_axe_finds_nothing_in_the_admin(desk: None, admin_page: Page) -> None:
    page, audit = admin_page, Audit(admin_page)
    ticket = busy_ticket()
    load(1, lambda count: None)
    for path, name in (
        ("tickets/", "tickets"),
        (f"tickets/inspect/{ticket.pk}/", "admin-ticket"),
        (f"tickets/merge/{ticket.pk}/", "merge"),
        ("tickets/new/", "new"),
        ("tickets/response-times/", "response-times"),
        ("special-days/hours/", "hours"),
        ("rules/new/", "rule"),
    ):
        page.goto(f"/admin/support/{path}")
        expect(page).to_have_url(f"/admin/support/{path}")
        check(audit, page, f"support-{name}", narrow=False)
    assert audit.found == {}
