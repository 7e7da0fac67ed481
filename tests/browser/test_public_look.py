"""The public pages in a browser: they fit the screen, their files load, and the keyboard finds its way."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from cms_api.content.demo import load
from home.demo import load as load_home
from home.services import create_home_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, serialized_rollback=True)]

PAGES = ("/", "/blog-post", "/service", "/blog-post/a-year-in-numbers", "/showcase/turbine-hall", "/blog-post?q=nothing-at-all")
#: A phone, a window zoomed to 400 %, and a desk.
WIDTHS = (390, 320, 1280)

Open = Callable[..., Any]


@pytest.fixture
def open_page(page: Page, live_server: Any) -> Open:
    """Opens a path of the demo site, and answers the page with a list that fills with console errors and failed requests."""
    create_home_page()
    load(1, lambda count: None)
    load_home(1, lambda count: None)
    browser = page.context.browser
    assert browser

    def enter(path: str, *, width: int = 1280, scheme: str = "light") -> tuple[Page, list[str]]:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
        opened, problems = context.new_page(), []
        opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("requestfailed", lambda request: problems.append(request.url))
        opened.goto(live_server.url + path)
        return opened, problems

    return enter


def test_pages_fit_the_screen_and_load_without_errors(open_page: Open) -> None:
    for path, width in product(PAGES, WIDTHS):
        page, problems = open_page(path, width=width)
        page.evaluate("for (const image of document.images) image.loading = 'eager'")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        broken = page.evaluate("[...document.images].filter(image => !image.naturalWidth).map(image => image.src)")
        assert (broken, problems) == ([], []), (path, width)
        page.context.close()


def test_the_keyboard_reaches_the_content_first(open_page: Open) -> None:
    page, _ = open_page("/blog-post")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_targets_are_large_enough(open_page: Open) -> None:
    page, _ = open_page("/blog-post", width=390)
    script = """selector => [...document.querySelectorAll(selector)].map(each => each.getBoundingClientRect())
        .filter(box => box.width < 43.9 || box.height < 43.9).length"""
    assert page.evaluate(script, "header a, footer a, .chip, .search input, .search button, .pagination a") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(open_page: Open, scheme: str) -> None:
    page, _ = open_page("/blog-post/a-year-in-numbers", scheme=scheme)
    for name, least in {"--ink": 7, "--muted": 4.5, "--accent": 4.5, "--edge": 3}.items():
        for ground in ("--paper", "--wash"):
            assert page.evaluate(CONTRAST, [name, ground]) >= least, (scheme, name, ground)
    assert page.evaluate(CONTRAST, ["--on-accent", "--accent"]) >= 4.5


#: WCAG's ratio of two of the theme's colours.
CONTRAST = """([first, second]) => {
    const style = getComputedStyle(document.documentElement);
    const light = name => {
        const hex = style.getPropertyValue(name).trim();
        const [r, g, b] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [low, high] = [light(first), light(second)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""
