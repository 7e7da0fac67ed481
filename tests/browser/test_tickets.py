"""Two tickets are bought with a promo code on the page of an event, and shown to a screen reader's checker in every state."""

import io
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from cms_api.content.models import ContentItem
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket, TicketOrder
from commerce.ticketing.resources.documents import space_out
from commerce.ticketing.selectors.orders import OFFER_LINK, ORDER_LINK, TICKET_LINK, WAITING_LINK
from commerce.ticketing.services.checking_in import check_in
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.transferring import transfer_ticket
from tests.commerce.ticketing.builders import (
    WEEKLY,
    adult,
    make_order,
    make_promo,
    make_reservation,
    make_sales,
    paid_order,
    wait,
)
from tests.commerce.ticketing.page_builders import checkout_path, path_of

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: Milliseconds: nobody fills in a form faster.
READING = 2100
QUESTIONS = [
    {"key": "meal", "label": "Meal", "type": "radio", "options": ["With fish", "Without"], "required": True},
    {"key": "needs", "label": "Anything we should know?", "type": "textarea"},
]


@pytest.fixture
def quartet(transactional_db: None) -> ContentItem:
    switch_feature(name="events", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    return make_sales(
        adult(description="All seats are in the great hall."),
        adult(name="Student", price_cents=1800, size=12),
        title="Midsummer quartet",
        values={"asks_names": True},
    )


def test_two_tickets_with_a_promo_code(quartet: ContentItem, plain_page: Page) -> None:
    make_promo("SPRING10")
    visitor = plain_page
    visitor.goto(path_of(quartet))
    visitor.get_by_label("Quantity of Adult").select_option("2")
    visitor.get_by_role("button", name="Get tickets").click()
    visitor.get_by_label("Promo code").fill("spring10")
    visitor.get_by_role("button", name="Apply promo code").click()
    expect(visitor.get_by_text("Discount (SPRING10)")).to_be_visible()
    visitor.get_by_role("button", name="Pay $57.60").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your name.")
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_role("group", name="Ticket 1: Adult").get_by_label("Attendee's name").fill("Dana Reyes")
    visitor.get_by_role("group", name="Ticket 2: Adult").get_by_label("Attendee's name").fill("Sam Okafor")
    visitor.get_by_role("button", name="Pay $57.60").click()
    visitor.locator("button[value=pay]").click()
    expect(visitor.get_by_text("We've emailed the tickets to dana@example.com.")).to_be_visible()

    order = TicketOrder.objects.get()
    assert (order.status, order.total_cents, order.promo_code) == ("paid", 5760, "SPRING10")
    expect(visitor.get_by_role("img", name="QR code of the ticket")).to_have_count(2)
    path = visitor.get_by_role("link", name="Download tickets (PDF)").get_attribute("href") or ""
    document = visitor.request.get(path)
    assert document.headers["content-type"] == "application/pdf"
    text = " ".join(each.extract_text() for each in PdfReader(io.BytesIO(document.body())).pages)
    for ticket in order.tickets.all():
        expect(visitor.get_by_text(space_out(ticket.code)).first).to_be_visible()
        assert space_out(ticket.code) in text
        assert ticket.attendee_name in text
    mail = OutgoingMail.objects.get(template="tickets_bought")
    assert ORDER_LINK.path(order) in mail.text


def test_the_countdown(quartet: ContentItem, visitor_page: Page) -> None:
    # The clock is that of its context.
    page = visitor_page
    page.clock.install()
    page.goto(path_of(quartet))
    page.get_by_label("Quantity of Student").select_option("1")
    page.get_by_role("button", name="Get tickets").click()
    said = page.locator("[data-reserved-said]")
    expect(page.locator(".reserved__left")).to_be_visible()
    expect(said).to_be_empty()
    page.clock.fast_forward("13:30")
    expect(said).to_have_text("Your tickets are reserved for two more minutes.")
    page.clock.fast_forward("02:00")
    expect(said).to_contain_text("Your reservation has ended.")


def test_axe_finds_nothing(quartet: ContentItem, page: Page) -> None:
    audit = Audit(page)

    def check(path: str, name: str) -> None:
        if path:
            page.goto(path)
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        picture(page, name)

    check(path_of(quartet), "tickets-panel")
    weekly = mixed()
    check(path_of(weekly), "tickets-panel-states")
    check(f"{path_of(weekly)}/tickets?code=friends", "tickets-chosen")
    page.get_by_label("Promo or access code").fill("nothing")
    page.get_by_role("button", name="Apply code").click()
    page.get_by_role("button", name="Get tickets").click()
    check("", "tickets-chosen-errors")
    asking = make_sales(adult(), values={"asks_names": True, "questions": QUESTIONS}, title="Supper with songs")
    check(checkout_path(make_reservation(asking, Adult=2)), "tickets-checkout")
    page.get_by_role("button", name="Pay $64.00").click()
    check("", "tickets-checkout-errors")
    check("/events/tickets/checkout/none?event=midsummer-quartet", "tickets-ended")

    order = paid_order(quartet, buyer_values={"attendees": [{"name": each} for each in ("Dana", "Sam", "Noa", "Kim")]}, Adult=4)
    first, second, third, _ = order.tickets.order_by("pk")
    transfer_ticket(ticket=first, name="Robin Vale", email="robin@example.com")
    check_in(ticket=second)
    void_tickets(order=order, tickets=[third.pk])
    check(ORDER_LINK.path(order), "tickets-order")
    check(ORDER_LINK.path(make_order(quartet, buyer_values={"attendees": [{"name": "Dana"}]})), "tickets-order-pending")
    for ticket, name in zip(AttendeeTicket.objects.order_by("pk"), ("transferred", "checked-in", "void", "valid"), strict=True):
        check(TICKET_LINK.path(ticket), f"tickets-ticket-{name}")
    page.get_by_role("link", name="Transfer ticket").click()
    page.get_by_role("button", name="Continue").click()
    check("", "tickets-transfer-errors")
    page.get_by_label("Name").fill("Sam Okafor")
    page.get_by_label("Email address").fill("sam@example.com")
    page.get_by_role("button", name="Continue").click()
    check("", "tickets-transfer-confirm")
    page.get_by_role("button", name="Transfer ticket").click()
    check("", "tickets-transferred")


def test_axe_finds_nothing_on_the_waiting_list(quartet: ContentItem, page: Page) -> None:
    audit = Audit(page)

    def check(path: str, name: str) -> None:
        if path:
            page.goto(path)
        audit.check(name)
        picture(page, name)

    event = make_sales(adult(size=1), title="Sold out")
    order = paid_order(event)
    page.goto(path_of(event))
    page.get_by_role("link", name="Join the waiting list").click()
    check("", "tickets-waiting")
    page.get_by_role("button", name="Join the waiting list").click()
    check("", "tickets-waiting-errors")
    page.get_by_label("Your name").fill("Noor de Vries")
    page.get_by_label("Your email address").fill("noor@example.com")
    page.wait_for_timeout(READING)
    page.get_by_role("button", name="Join the waiting list").click()
    check("", "tickets-waiting-joined")
    entry = wait(event, "sam@example.com")
    check(WAITING_LINK.path(entry), "tickets-leave")
    void_tickets(order=order, tickets=[each.pk for each in order.tickets.all()])
    check(OFFER_LINK.path(entry), "tickets-offer-ended")
    page.goto(WAITING_LINK.path(entry))
    page.get_by_role("button", name="Leave the waiting list").click()
    check("", "tickets-left")


def mixed() -> Any:
    """A weekly event with tickets in every state."""
    event = make_sales(
        adult(name="Hidden", access_code="FRIENDS", price_cents=500),
        adult(
            name="Friends of the mill",
            pricing="open",
            price_cents=500,
            suggested_cents=1500,
            description="From each what they have.",
        ),
        adult(name="Child", pricing="free", size=12),
        adult(name="Gone", size=0),
        adult(name="Busy", size=1, has_waiting_list=False),
        repeat=WEEKLY,
        title="Songs on Thursdays",
    )
    make_reservation(event, Busy=1)
    return event
