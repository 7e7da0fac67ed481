"""A headless Chromium for the browser tests. Without one they are skipped; under CI=true they fail instead."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, Route, sync_playwright

from tests import people

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
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

    def stay_inside(route: Route) -> None:
        if route.request.url.startswith(live_server.url):
            route.continue_()
        else:
            route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        context = browser.new_context(base_url=live_server.url, permissions=["clipboard-read", "clipboard-write"])
        context.set_default_timeout(20_000)
        context.route("**/*", stay_inside)
        yield context.new_page()
        browser.close()


@pytest.fixture
def admin_page(page: Page, live_server: Any, sign_in: Callable[[Any], Client]) -> Page:
    """A page that is signed in to the admin as Alice."""
    cookie = sign_in(people.alice()).cookies["sessionid"]
    page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    return page
