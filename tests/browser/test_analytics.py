"""A browser's visit, from the script of a page to the reports."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import read_range
from cms_api.analytics.services import salts, spool
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import switch_feature
from tests.builders import make_form, make_page
from tests.waiting import until

from .chromium import Chromium

pytestmark = [pytest.mark.browser, pytest.mark.once, pytest.mark.django_db(transaction=True)]

#: Without the word "Headless", and not driven by a program.
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
BY_HAND = "Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => false})"
PRERENDERED = """
let prerendering = true;
Object.defineProperty(Document.prototype, 'prerendering', {get: () => prerendering});
window.show = () => { prerendering = false; document.dispatchEvent(new Event('prerenderingchange')); };
"""


@pytest.fixture(autouse=True)
def _counted(
    chromium: Chromium, tmp_path: Path, settings: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    settings.VAR_DIR, settings.BASE_URL = tmp_path, live_server.url
    monkeypatch.setattr(spool.SPOOL, "_file", None)
    salts.forget()
    switch_feature(name="analytics", on=True)
    yield
    salts.forget()


@pytest.fixture
def visitor(chromium: Chromium) -> Page:
    context = chromium.new_context(user_agent=CHROME)
    context.add_init_script(BY_HAND)
    return context.new_page()


def viewed() -> list[str]:
    ingest(at_once=True)
    return list(Event.objects.filter(kind="view").order_by("at").values_list("path", flat=True))


def wait_for_views(*paths: str) -> None:
    until(lambda: viewed() == list(paths))


def test_a_visit(visitor: Page) -> None:
    form, other = make_form(), make_page(title="Other")
    visitor.goto(f"/{other.slug}/?utm_source=paper&secret=1")
    wait_for_views(f"/{other.slug}")
    # Time on a page is sent in seconds.
    visitor.wait_for_timeout(1_600)
    # Under Playwright, Chromium drops the beacons of a page that it leaves.
    visitor.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    visitor.goto(f"/forms/{form.slug}")
    wait_for_views(f"/{other.slug}", f"/forms/{form.slug}")
    for label, text in {"Name": "Dana", "Email": "dana@example.com", "Message": "Hello"}.items():
        visitor.get_by_label(label, exact=False).first.fill(text)
    visitor.get_by_role("button", name="Send").click()
    visitor.get_by_role("status").wait_for()
    wait_for_views(f"/{other.slug}", f"/forms/{form.slug}", f"/forms/{form.slug}")
    found = read_range(None, None)
    summary = reports.summary(found)
    assert (summary["visitors"], summary["sessions"], summary["pageviews"], summary["bounce_rate"]) == (1, 1, 3, 0)
    assert [(row["source"], row["conversions"]) for row in reports.sources(found)] == [("paper", 1)]
    (goal,) = reports.conversions(found)
    assert (goal["goal"], goal["conversions"], goal["conversion_rate"]) == ("form", 1, 1)
    pages = {row["path"]: row for row in reports.pages(found)}
    assert pages[f"/{other.slug}"]["avg_duration_seconds"] in {1, 2, 3}
    assert pages[f"/{other.slug}"]["title"].startswith("Other")
    assert Visit.objects.get().device == "desktop"
    assert {each["name"] for each in visitor.context.cookies()} <= {"csrftoken"}
    assert visitor.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_page_that_the_back_button_brings_back_counts_again(visitor: Page) -> None:
    """This browser has no such cache, so the page is told that it comes from there."""
    page = make_page(title="Page")
    visitor.goto(f"/{page.slug}/")
    wait_for_views(f"/{page.slug}")
    visitor.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    visitor.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    wait_for_views(f"/{page.slug}", f"/{page.slug}")


def test_a_prepared_page_counts_when_it_is_looked_at(visitor: Page) -> None:
    page = make_page(title="Page")
    visitor.add_init_script(PRERENDERED)
    visitor.goto(f"/{page.slug}/")
    visitor.wait_for_timeout(300)
    assert viewed() == []
    visitor.evaluate("show()")
    wait_for_views(f"/{page.slug}")


def test_a_missing_page_is_no_view(visitor: Page) -> None:
    visitor.goto("/no-such-page")
    until(lambda: ingest(at_once=True) > 0)
    assert list(Event.objects.values_list("kind", "path")) == [("missing", "/no-such-page")]


def test_a_browser_that_is_driven_or_refuses_is_not_counted(chromium: Chromium, visitor: Page) -> None:
    page = make_page(title="Page")
    visitor.add_init_script("Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})")
    driven = chromium.new_context(user_agent=CHROME).new_page()
    sent: list[str] = []
    for each in (visitor, driven):
        each.on("request", lambda request: sent.append(request.url) if request.url.endswith("/visits") else None)
        each.goto(f"/{page.slug}/", wait_until="load")
        each.wait_for_timeout(200)
    assert sent == []
    assert viewed() == []
