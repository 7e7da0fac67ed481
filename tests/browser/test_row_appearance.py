"""Menus, rows and picked colours in a browser: without JavaScript, by keyboard, on a phone and in the dark."""

from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from home.models import Theme

from .conftest import Open
from .test_public_appearance import CONTRAST

pytestmark = [pytest.mark.browser, pytest.mark.audit, pytest.mark.django_db(transaction=True)]

#: Elements that were made for one line and stand beside their box, or are cut off by it.
CUT_OFF = """[...document.querySelectorAll('.button, .chip, .site-name span, .site-nav a, h1, h2, h3, summary')].filter(each =>
    each.checkVisibility() && (each.scrollWidth > each.clientWidth + 1) && getComputedStyle(each).display != 'inline'
).map(each => each.textContent.trim())"""


def test_the_menu_of_a_phone_needs_no_script(open_page: Open) -> None:
    page, _ = open_page("/about/", width=390, scripts=False)
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_have_count(0)
    page.get_by_text("Menu", exact=True).click()
    expect(menu.get_by_role("link")).to_have_count(8)
    for link in menu.get_by_role("link").all():
        box = link.bounding_box()
        assert box
        assert box["height"] >= 44
    heading = page.get_by_role("heading", level=1).bounding_box()
    last = menu.get_by_role("link").last.bounding_box()
    assert heading
    assert last
    assert heading["y"] > last["y"] + last["height"]
    menu.get_by_role("link", name="Find us").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Find us")


def test_a_desk_shows_one_menu_unfolded(open_page: Open) -> None:
    page, _ = open_page("/about/")
    expect(page.get_by_role("navigation", name="Main")).to_have_count(1)
    expect(page.get_by_text("Menu", exact=True)).to_be_hidden()


def test_menu_and_questions_open_by_keyboard(open_page: Open) -> None:
    page, _ = open_page("/about/", width=390)
    focus(page, "Menu")
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "About the mill"
    focus(page, "Is there a lift?")
    page.keyboard.press("Space")
    expect(page.get_by_text("To every floor")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def focus(page: Page, text: str) -> None:
    """Goes on by Tab until the summary with the text has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == text:
            return
    raise AssertionError(f"Tab never came to {text!r}.")


def test_text_of_twice_the_size_fits(open_page: Open) -> None:
    for path in ("/", "/about/", "/find-us/", "/summer-school/", "/nothing/here"):
        page, _ = open_page(path, width=640)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") <= 640, path
        assert page.evaluate(CUT_OFF) == [], path


def test_picked_colours_can_be_read_where_they_are_used(open_page: Open) -> None:
    for scheme, accent in product(("light", "dark"), ("#f5b82e", "#0a1a3f")):
        Theme(pk=1, accent=accent).save()
        page, problems = open_page("/summer-school/", scheme=scheme)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(251, 251, 250)", "dark": "rgb(15, 17, 23)"}[scheme]
        pairs = [("--accent", "--paper"), ("--accent", "--wash"), ("--on-accent", "--accent"), ("--on-fill", "--fill")]
        for pair in (*pairs, ("--on-panel", "--panel")):
            assert page.evaluate(CONTRAST, list(pair)) >= 4.5, (accent, pair)
        button = page.locator(".row--hero .button").first
        assert button.evaluate("each => getComputedStyle(each).backgroundColor") == colour(page, "--fill")
        panel = page.locator(".row--action").first
        assert panel.evaluate("each => getComputedStyle(each).backgroundColor") == colour(page, "--panel")
        assert problems == []


def colour(page: Page, name: str) -> Any:
    """A custom property as the browser writes colours."""
    return page.evaluate(
        """name => { const each = document.createElement('i'); each.style.color = `var(${name})`; document.body.append(each);
        return getComputedStyle(each).color; }""",
        name,
    )


def test_on_paper_questions_are_open_and_nothing_is_cut(open_page: Open) -> None:
    page, _ = open_page("/about/")
    page.emulate_media(media="print")
    expect(page.get_by_text("To every floor")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_have_count(0)
