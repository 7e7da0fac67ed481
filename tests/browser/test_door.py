"""Tickets are checked in at the door by typing their codes; a lost connection is no verdict."""

import pytest
from playwright.sync_api import Page, Route, expect

from cms_api.flags.services import set_setting, switch_feature
from commerce.ticketing.models import AttendeeTicket, Scan
from tests.commerce.ticketing.builders import make_sales, paid_order

from .axe import Audit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ticket(transactional_db: None) -> AttendeeTicket:
    switch_feature(name="events", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    found = paid_order(make_sales(title="Quartet"), Adult=2).tickets.order_by("pk").first()
    assert found
    return found


def enter(page: Page, code: str) -> None:
    """Type a code as a scanner does: wherever the focus is."""
    expect(page.get_by_label("Ticket code")).to_be_focused()
    page.keyboard.type(code)
    page.keyboard.press("Enter")


def test_it_works(ticket: AttendeeTicket, admin_page: Page) -> None:
    page = admin_page
    page.goto("/admin/tickets/attendees/door/")
    page.get_by_role("link", name="Quartet").click()
    title = page.locator(".verdict__title")
    expect(page.get_by_text("0 of 2 checked in")).to_be_visible()
    enter(page, ticket.code.lower())
    expect(title).to_have_text("Checked in")
    expect(page.get_by_text("1 of 2 checked in")).to_be_visible()
    # Somebody else did it.
    AttendeeTicket.objects.filter(pk=ticket.pk).update(checked_in_by=None)
    enter(page, f"{ticket.code[:4]} {ticket.code[4:]}")
    expect(title).to_contain_text("Already checked in at")
    audit = Audit(page)
    audit.check("door")
    enter(page, "ABCDEFGH")
    expect(title).to_have_text("Unknown code")
    assert list(Scan.objects.order_by("pk").values_list("result", flat=True)) == ["admitted", "already", "unknown"]
    assert audit.found == {}


def test_a_lost_connection_is_no_verdict(ticket: AttendeeTicket, admin_page: Page) -> None:
    page = admin_page
    page.goto(f"/admin/tickets/attendees/door/{ticket.event_id}/")

    def lose_the_answer(route: Route) -> None:
        # The ticket is checked in, but nobody hears of it.
        route.fetch()
        route.abort()

    page.route("**/door/**", lose_the_answer)
    enter(page, ticket.code)
    title = page.locator(".verdict__title")
    expect(title).to_have_text("No connection")
    page.unroute("**/door/**")
    page.get_by_role("button", name="Try again").click()
    expect(title).to_have_text("Checked in")
    assert Scan.objects.count() == 1
