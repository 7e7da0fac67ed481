"""A browser's visit, from the script of a page to the reports."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.signals import request_started
from django.templatetags.static import static
from playwright.sync_api import Page

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import read_range
from cms_api.analytics.services import salts, spool
from cms_api.analytics.services.ingesting import ingest
from cms_api.flags.services import switch_feature
from tests.builders import make_form, make_page
from tests.waiting import until

from .chromium import USER_AGENT, Chromium
from .driving import driven, run

PREPARE = """
const rules = document.createElement("script");
rules.type = "speculationrules";
rules.textContent = JSON.stringify({prerender: [{source: "list", urls: ["%s"], eagerness: "immediate"}]});
document.head.append(rules);
"""
#: In milliseconds.
MORE_THAN_A_SECOND = 1_600

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
def visitor(chromium: Chromium) -> Iterator[Page]:
    with chromium.as_people_use_it() as context:
        yield context.new_page()


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
    visitor.wait_for_timeout(MORE_THAN_A_SECOND)
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


def seconds() -> list[int]:
    """The seconds for which the pages were looked at, in the order of their views."""
    ingest(at_once=True)
    return list(Event.objects.filter(kind="view").order_by("at").values_list("seconds", flat=True))


def test_a_page_that_the_back_button_brings_back_counts_again(visitor: Page) -> None:
    page, other = make_page(title="Page"), make_page(title="Other")
    visitor.goto(f"/{page.slug}/")
    wait_for_views(f"/{page.slug}")
    visitor.evaluate("window.isKept = true")
    visitor.wait_for_timeout(MORE_THAN_A_SECOND)
    visitor.goto(f"/{other.slug}/")
    wait_for_views(f"/{page.slug}", f"/{other.slug}")
    # Playwright would wait for the page to load, which it does not do again.
    visitor.evaluate("history.back()")
    wait_for_views(f"/{page.slug}", f"/{other.slug}", f"/{page.slug}")
    assert visitor.evaluate("window.isKept")
    # Each time that it is looked at counts by itself.
    visitor.wait_for_timeout(MORE_THAN_A_SECOND)
    visitor.close()
    until(lambda: seconds()[2] > 0)
    assert all(each in {1, 2, 3} for each in (seconds()[0], seconds()[2]))


def test_the_time_on_the_last_page_counts_while_it_is_in_front(live_server: Any, settings: Any, tmp_path: Path) -> None:
    page = make_page(title="Page")
    with driven(live_server.url, settings, tmp_path / "profile"):
        run(f"window.visited = open('/{page.slug}/')")
        wait_for_views(f"/{page.slug}")
        time.sleep(MORE_THAN_A_SECOND / 1000)
        run("window.other = open('about:blank')")
        until(lambda: run("visited.document.visibilityState") == "hidden")
        until(lambda: seconds()[0] > 0)
        before = seconds()[0]
        time.sleep(2 * MORE_THAN_A_SECOND / 1000)
        run("other.close()")
        until(lambda: run("visited.document.visibilityState") == "visible")
        began = time.monotonic()
        time.sleep(MORE_THAN_A_SECOND / 1000)
        run("visited.close()")
        until(lambda: seconds()[0] > before)
        # The time in the background, of three seconds, is not among them.
        assert seconds()[0] - before <= time.monotonic() - began + 1


def test_a_prepared_page_counts_when_it_is_looked_at(live_server: Any, settings: Any, tmp_path: Path) -> None:
    target = f"/{make_page(title='Page').slug}/"
    script = static("analytics/visit.js").partition("?")[0]
    asked: list[tuple[str, str]] = []

    def note(environ: dict[str, str], **_: Any) -> None:
        asked.append((environ["PATH_INFO"], environ.get("HTTP_SEC_PURPOSE", "")))

    request_started.connect(note)
    try:
        with driven(live_server.url, settings, tmp_path / "profile"):
            run(PREPARE % target)
            until(lambda: (script, "prefetch;prerender") in asked)
            time.sleep(0.5)
            assert viewed() == []
            run(f"setTimeout(() => location.href = '{target}')")
            wait_for_views(target.rstrip("/"))
    finally:
        request_started.disconnect(note)
    assert [purpose for path, purpose in asked if path == target] == ["prefetch;prerender"]


def test_a_missing_page_is_no_view(visitor: Page) -> None:
    visitor.goto("/no-such-page")
    until(lambda: ingest(at_once=True) > 0)
    assert list(Event.objects.values_list("kind", "path")) == [("missing", "/no-such-page")]


def test_a_browser_that_is_driven_or_refuses_is_not_counted(chromium: Chromium, visitor: Page) -> None:
    page = make_page(title="Page")
    visitor.add_init_script("Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})")
    robot = chromium.new_context(user_agent=USER_AGENT).new_page()
    sent: list[str] = []
    for each in (visitor, robot):
        each.on("request", lambda request: sent.append(request.url) if request.url.endswith("/visits") else None)
        each.goto(f"/{page.slug}/", wait_until="load")
        each.wait_for_timeout(200)
    assert sent == []
    assert viewed() == []
