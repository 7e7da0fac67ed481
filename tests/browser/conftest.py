"""A headless Chromium for the browser tests. Without one they are skipped; under CI=true they fail instead."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, sync_playwright

from cms_api.comments.demo import load as load_comments
from cms_api.content.demo import load
from cms_api.flags.services import switch_feature
from cms_api.forms.demo import load as load_forms
from events.demo import load as load_events
from home.demo import load as load_home
from home.services import create_home_page
from tests import people

Open = Callable[..., tuple[Page, list[str]]]

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No other host is reached; a route that refuses them would switch the browser's cache off.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
]


@pytest.fixture
def page(live_server: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """An empty page of a browser that reaches the live server and nothing else.

    A browser for each test: for as long as one runs, Playwright's event loop runs in this thread, and Django would refuse
    queries beside it.
    """
    if not CHROMIUM.exists():
        reason = f"There is no {CHROMIUM}."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        context = browser.new_context(base_url=live_server.url, permissions=["clipboard-read", "clipboard-write"])
        context.set_default_timeout(20_000)
        yield context.new_page()
        browser.close()


@pytest.fixture
def admin_page(page: Page, live_server: Any, sign_in: Callable[[Any], Client]) -> Page:
    """A page that is signed in to the admin as Alice."""
    cookie = sign_in(people.alice()).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    return page


@pytest.fixture
def open_page(page: Page, live_server: Any) -> Open:
    """Opens a path of the demo site, and answers the page with a list that fills with console errors and failed requests."""
    create_home_page()
    load(1, lambda count: None)
    load_forms(1, lambda count: None)
    load_comments(1, lambda count: None)
    load_home(1, lambda count: None)
    load_events(1, lambda count: None)
    switch_feature(name="events", on=True)
    browser = page.context.browser
    assert browser

    def enter(path: str, *, width: int = 1280, scheme: str = "light", **more: Any) -> tuple[Page, list[str]]:
        viewport = {"width": width, "height": 900}
        context = browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce", **more)
        opened, problems = context.new_page(), []
        opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        # What is given up because another page is opened has not failed.
        opened.on("requestfailed", lambda request: None if "ERR_ABORTED" in request.failure else problems.append(request.url))
        opened.goto(live_server.url + path)
        return opened, problems

    return enter
