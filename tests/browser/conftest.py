"""Pages of a headless Chromium on the live server. Without one the tests are skipped; under CI=true they fail instead."""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page

from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Limits
from cms_api.comments.demo import load as load_comments
from cms_api.content.demo import load
from cms_api.flags.services import set_setting, switch_feature
from cms_api.forms.demo import load as load_forms
from events.demo import load as load_events
from home.demo import load as load_home
from home.services import create_home_page
from tests import people, snapshots
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub
from tests.snapshots import Snapshot

from .chromium import PATH, Chromium, launch

Open = Callable[..., tuple[Page, list[str]]]
SignIn = Callable[[BrowserContext, Any], None]


@pytest.fixture(scope="session")
def _chromium(live_server: Any) -> Iterator[Chromium]:
    if not PATH.exists():
        reason = f"There is no {PATH}."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with launch(live_server.url) as chromium:
        yield chromium


@pytest.fixture
def chromium(_chromium: Chromium, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chromium]:
    """The browser of this process, for one test, which fails if the Content-Security-Policy of a page has blocked anything."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    # The visitors of these tests fill in forms as fast as a robot: from the opening to the sending, a clock jumps.
    jumps = itertools.count(step=Limits().fastest)
    monkeypatch.setattr(visitors, "time", SimpleNamespace(time=lambda: time.time() + next(jumps)))
    with _chromium.in_use():
        yield _chromium


@pytest.fixture
def page(chromium: Chromium) -> Page:
    """An empty page in a context without cookies."""
    return chromium.context().new_page()


@pytest.fixture
def plain_page(chromium: Chromium) -> Page:
    """An empty page in which scripts are off, in a context of its own."""
    return chromium.context(scripts=False).new_page()


@pytest.fixture
def visitor_page(chromium: Chromium) -> Page:
    """An empty page of somebody else: neither cookies nor what is loaded is shared with `page`."""
    return chromium.new_context().new_page()


@pytest.fixture
def sign_in_page(sign_in: Callable[[Any], Client], chromium: Chromium) -> SignIn:
    """Signs a context in as somebody, without the form."""

    def enter(context: BrowserContext, person: Any) -> None:
        cookie = sign_in(person).cookies["sessionid"]
        context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": chromium.address}])

    return enter


@pytest.fixture
def admin_page(page: Page, sign_in_page: SignIn) -> Page:
    """The page, signed in to the admin as Alice."""
    sign_in_page(page.context, people.alice())
    return page


@pytest.fixture(scope="session")
def _demo(django_db_setup: Snapshot, django_db_blocker: Any) -> Snapshot:
    """The demo site, which is loaded once."""
    with django_db_blocker.unblock():
        create_home_page()
        for each in (load, load_forms, load_comments, load_home, load_events):
            each(1, lambda count: None)
        switch_feature(name="events", on=True)
        demo = snapshots.take("demo")
        django_db_setup.restore()
    return demo


@pytest.fixture
def demo(_demo: Snapshot, transactional_db: None) -> None:
    """The database holds the demo site when the test begins."""
    _demo.restore()


@pytest.fixture
def open_page(chromium: Chromium, demo: None) -> Open:
    """Opens a path of the demo site, and answers the page with a list that fills with console errors and failed requests."""

    def enter(path: str, *, width: int = 1280, scheme: Any = "light", scripts: bool = True) -> tuple[Page, list[str]]:
        opened, problems = chromium.context(scripts=scripts).new_page(), []
        opened.set_viewport_size({"width": width, "height": 900})
        opened.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        # A request that is aborted because another page is opened has not failed.
        opened.on("requestfailed", lambda request: None if "ERR_ABORTED" in request.failure else problems.append(request.url))
        opened.goto(path)
        return opened, problems

    return enter


@pytest.fixture
def stripe(transactional_db: None, settings: Any, live_server: Any) -> Iterator[StripeStub]:
    """A server that speaks Stripe's protocol, as the provider of payments."""
    stub = StripeStub().start()
    # The only host that the browser reaches.
    stub.url = stub.url.replace("127.0.0.1", "localhost")
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE, settings.BASE_URL = SECRET_KEY, stub.url, live_server.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()
