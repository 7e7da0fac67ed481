"""An appointment is booked in another time zone, moved and cancelled; the feed of the member of staff follows."""

from datetime import time
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment, Service, Staff
from commerce.booking.selectors.appointments import MANAGE_LINK
from tests.builders import make_image
from tests.commerce.booking.builders import at, make_appointment, make_service, make_staff

from .axe import Audit
from .chromium import Chromium
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW_YORK = "America/New_York"
QUESTIONS = [
    {"key": "thrown", "label": "Have you thrown before?", "type": "radio", "options": ["Yes", "No"], "required": True},
    {"key": "hope", "label": "What would you like to make?", "type": "textarea"},
]


@pytest.fixture
def robin(transactional_db: None) -> Staff:
    """Robin Vale works in Berlin from 15:00 to 18:00 every day, which is 9:00 to 12:00 in New York for most of the year."""
    switch_feature(name="booking", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    set_setting(key="site.timezone", value="Europe/Berlin")
    service = make_service(
        "Wheel throwing",
        description="One to one at the wheel: centre, open, pull.",
        questions=QUESTIONS,
        location="14 Canal Street",
    )
    hours = [{"weekday": day, "opens": time(15), "closes": time(18)} for day in range(7)]
    return make_staff(service, name="Robin Vale", title="Potter", timezone="Europe/Berlin", hours=hours)


def invite() -> Any:
    """The event in the newest mail to the customer, and the method of its calendar."""
    mail = OutgoingMail.objects.filter(recipient="dana@example.com").order_by("-id")[0]
    calendar = Calendar.from_ical(bytes(mail.attachments.get().content))
    return calendar.walk("VEVENT")[0], str(calendar["METHOD"])


def feed(page: Page, staff: Staff) -> list[tuple[str, Any]]:
    """The appointments in the feed of a member of staff: names and starts."""
    answer = page.request.get(f"/booking/staff/{staff.feed_key}.ics")
    assert answer.ok
    return [(str(event["SUMMARY"]), event.start) for event in Calendar.from_ical(answer.text()).walk("VEVENT")]


def test_an_appointment(robin: Staff, chromium: Chromium) -> None:
    visitor = chromium.new_context(timezone_id=NEW_YORK).new_page()
    visitor.goto("/booking")
    visitor.get_by_role("link", name="Wheel throwing").click()
    # The first visit shows the times of the browser's zone, by one reload.
    expect(visitor.locator("#timezone")).to_have_value(NEW_YORK)
    expect(visitor).to_have_url(f"/booking/services/wheel-throwing?tz={NEW_YORK.replace('/', '%2F')}")
    # A whole day of the next month: of today, some times may be over.
    visitor.get_by_role("navigation", name="Months").get_by_role("link").last.click()
    visitor.locator(".days__free").nth(9).click()
    expect(visitor.locator(".times__time")).to_have_count(3)
    times = visitor.locator(".times__time")
    texts = times.all_inner_texts()
    assert len(texts) == 3
    times.nth(1).click()
    expect(visitor.get_by_text("(America/New York)")).to_be_visible()
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_role("radio", name="Yes").check()
    # Sent once.
    visitor.get_by_role("button", name="Book appointment").dblclick()
    expect(visitor.get_by_role("status")).to_contain_text("Your appointment is confirmed.")

    booked = Appointment.objects.get()
    assert (booked.timezone, booked.staff) == (NEW_YORK, robin)
    event, method = invite()
    assert (event.start, method, event["SEQUENCE"]) == (booked.starts_at, "REQUEST", 0)
    local = booked.starts_at.astimezone(ZoneInfo(NEW_YORK))
    mail = OutgoingMail.objects.get(template="booking_confirmed")
    assert f"{local:%A, %B} {local.day}" in mail.text
    assert texts[1].replace("\xa0", " ") in mail.text.replace("\xa0", " ")
    assert feed(visitor, robin) == [("Wheel throwing: Dana Reyes", booked.starts_at)]

    # By the link in the mail.
    link = urlsplit(MANAGE_LINK.url(booked)).path
    assert link in mail.text
    visitor.goto(link)
    visitor.get_by_role("link", name="Reschedule").click()
    visitor.locator(".days__free").first.click()
    visitor.locator(".times__time").last.click()
    visitor.get_by_role("button", name="Reschedule").click()
    expect(visitor.get_by_role("status")).to_contain_text("rescheduled")
    former = booked.starts_at
    booked.refresh_from_db()
    assert booked.starts_at != former
    event, method = invite()
    assert (event.start, method, event["SEQUENCE"]) == (booked.starts_at, "REQUEST", 1)
    assert feed(visitor, robin) == [("Wheel throwing: Dana Reyes", booked.starts_at)]

    visitor.get_by_role("link", name="Cancel appointment").click()
    visitor.get_by_role("button", name="Cancel appointment").click()
    expect(visitor.get_by_role("status")).to_contain_text("cancelled")
    event, method = invite()
    assert (method, event["STATUS"]) == ("CANCEL", "CANCELLED")
    assert feed(visitor, robin) == []


def test_without_scripts(robin: Staff, plain_page: Page) -> None:
    visitor = plain_page
    visitor.goto("/booking/services/wheel-throwing")
    expect(visitor.locator("#timezone")).to_have_value("Europe/Berlin")
    visitor.locator("#timezone").select_option("Asia/Tokyo")
    visitor.get_by_role("button", name="Change time zone").click()
    visitor.goto("/booking/services/wheel-throwing")
    expect(visitor.locator("#timezone")).to_have_value("Asia/Tokyo")
    visitor.locator(".choice__next").click()
    visitor.locator(".days__free").first.click()
    visitor.locator(".times__time").first.click()
    visitor.get_by_role("button", name="Book appointment").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your name.")
    visitor.get_by_role("link", name="Enter your name.").click()
    expect(visitor.get_by_label("Your name")).to_be_focused()


def test_a_zone_that_is_the_sites_reloads_once(robin: Staff, chromium: Chromium) -> None:
    visitor = chromium.new_context(timezone_id="Europe/Berlin").new_page()
    loads: list[str] = []
    visitor.on("framenavigated", lambda frame: loads.append(frame.url))
    visitor.goto("/booking/services/wheel-throwing")
    visitor.wait_for_url("**tz=**")
    visitor.wait_for_load_state()
    visitor.locator(".days__free").first.click()
    expect(visitor.locator("#timezone")).to_have_value("Europe/Berlin")
    assert sum("#times" not in each for each in loads) == 2


def fill_offer(robin: Staff) -> Service:
    """More services and staff to look at; return a class."""
    first = robin.services.get()
    first.image_id = make_image("wheel.png").pk
    first.save()
    course = make_service("Evening class", capacity=8, description="Eight wheels, one teacher.", duration_minutes=90)
    make_service("Free consultation", price_cents=0, duration_minutes=20)
    make_staff(course, first, name="Noor Haddad", title="Ceramicist", image=make_image("noor.png").pk, timezone="Europe/London")
    make_staff(*Service.objects.all(), name="Kim Oduya-Featherstonehaugh", title="Glazes, kilns and everything else")
    return course


def test_axe_finds_nothing(robin: Staff, page: Page) -> None:
    audit = Audit(page)

    def check(name: str) -> None:
        audit.check(name)
        page.set_viewport_size({"width": 320, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
        page.set_viewport_size({"width": 1280, "height": 900})
        picture(page, name)

    page.goto("/booking")
    page.goto("/booking/services/wheel-throwing?tz=Europe/Berlin")
    check("booking-one-person")
    course = fill_offer(robin)
    make_appointment(course, Staff.objects.get(name="Noor Haddad"), at(days=2))
    page.goto("/booking")
    check("booking-services")
    page.goto("/booking/services/wheel-throwing")
    check("booking-service")
    page.goto(f"/booking/services/{course.slug}?day={at(days=2).date()}")
    check("booking-class")
    page.goto("/booking/services/wheel-throwing")
    page.locator(".times__time").first.click()
    check("booking-form")
    page.get_by_role("button", name="Book appointment").click()
    check("booking-form-errors")
    booked = make_appointment(starts_at=at(days=3), service=course, notes="By the window, please.")
    for path, name in (("", "booking-manage"), ("reschedule", "booking-reschedule"), ("cancel", "booking-cancel")):
        page.goto(MANAGE_LINK.path(booked) + path)
        check(name)
    page.goto(MANAGE_LINK.path(booked) + "reschedule")
    page.locator(".times__time").first.click()
    check("booking-reschedule-confirm")
    unpaid = make_appointment(make_service("Firing", deposit_cents=1500, requires_approval=True), starts_at=at(days=3))
    page.goto(MANAGE_LINK.path(unpaid))
    check("booking-unpaid")
    assert audit.found == {}
