"""A visitor fills a form in on a page, with a browser that runs no scripts."""

from typing import Any

import pytest
from playwright.sync_api import Page

from cms_api.forms.models import Submission
from tests.builders import field, make_form, make_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def asked() -> Any:
    return make_form(
        field("name", "text", label="Your name", required=True),
        field("email", "email", label="Your email address", required=True),
        field("room", "radio", label="Room", options=["Hall", "Studio"], required=True),
        field("extras", "checkboxes", label="Extras", options=["Piano", "Catering"]),
        field("plan", "file", label="Seating plan"),
        slug="hire",
        name="Hire a room",
        success_message="Thank you, we have it.",
    )


def test_it_works(plain_page: Page) -> None:
    visitor, form = plain_page, asked()
    page = make_page({"type": "form", "value": {"heading": "Hire a room", "text": "", "form": form.slug}}, title="Rooms")
    visitor.goto(f"/{page.slug}/")
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_label("Studio").check()
    visitor.get_by_label("Piano").check()
    visitor.get_by_label("Seating plan").set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"Ten tables"})
    visitor.get_by_role("button", name="Send").click()
    assert visitor.get_by_role("status").inner_text().startswith("Thank you, we have it.")
    assert f"/{page.slug}/?sent=hire" in visitor.url
    found = Submission.objects.get()
    assert not found.is_spam
    assert found.data == {
        "name": "Dana Reyes",
        "email": "dana@example.com",
        "room": "Studio",
        "extras": ["Piano"],
        "plan": "plan.txt",
    }
    visitor.get_by_role("link", name="Submit another response").click()
    assert visitor.get_by_label("Your name").input_value() == ""


def test_mistakes_are_found_by_whoever_cannot_see_them(page: Page) -> None:
    form = asked()
    page.goto(f"/forms/{form.slug}")
    page.get_by_label("Your name").fill("Dana")
    page.get_by_role("button", name="Send").click()
    summary = page.get_by_role("alert")
    assert "Please fix 2 fields" in summary.inner_text()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "alert"
    email = page.get_by_label("Your email address")
    described = (email.get_attribute("aria-describedby") or "").split()
    assert email.get_attribute("aria-invalid") == "true"
    assert page.locator(f"#{described[0]}").inner_text() == "Enter your email address."
    summary.get_by_role("link", name="Enter your email address.").click()
    page.keyboard.type("dana@example.com")
    assert email.input_value() == "dana@example.com"
    assert page.get_by_label("Your name").input_value() == "Dana"


def test_the_trap_is_out_of_the_way(page: Page) -> None:
    form = asked()
    page.goto(f"/forms/{form.slug}")
    assert page.get_by_role("textbox", name="Leave this field blank").count() == 0
    box = page.locator("[name=hp_url]").bounding_box()
    assert box
    seen = "([x, y]) => document.elementFromPoint(x, y)?.name"
    assert page.evaluate(seen, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]) != "hp_url"
    page.get_by_label("Your name").focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.name") != "hp_url"
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
