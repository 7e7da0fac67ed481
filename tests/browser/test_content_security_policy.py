"""Pages of the site and of the admin work under the Content-Security-Policy. Every browser test fails if it blocks anything."""

import io
import itertools
from functools import partial

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect
from wagtail.models import Site, Task, Workflow

from cms_api.content.models import ContentItem
from cms_api.media.models import MediaFile, MediaImage
from home.models import StandardPage
from tests import people

from .chromium import WAIT_MILLISECONDS, Chromium
from .conftest import Open, SignIn
from .test_accessibility_admin import bulk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PLANTED = {
    "script": "<script>window.planted = true</script>",
    "handler": '<img src="data:," onerror="window.planted = true">',
    "link": '<a id="there" href="javascript:void(window.planted = true)">Click</a>',
    "remote script": '<script src="https://example.com/x.js"></script>',
    "style": "<style>body { color: red }</style>",
    "frame": '<iframe src="https://example.com/"></iframe>',
}


def picture() -> bytes:
    """A file that the library does not have."""
    file = io.BytesIO()
    Image.new("RGB", (400, 300), "olive").save(file, "PNG")
    return file.getvalue()


def test_planted_code_is_blocked_and_reported(chromium: Chromium, demo: None, subtests: pytest.Subtests) -> None:
    page = chromium.new_context().new_page()
    for path, kind in itertools.product(["/about/", "/admin/login/"], PLANTED):
        with subtests.test(path=path, kind=kind):
            page.route("**" + path, partial(plant, PLANTED[kind]))
            page.goto(path)
            if kind == "link":
                page.locator("#there").click()
            # Wagtail's editors need inline styles.
            is_allowed = kind == "style" and path.startswith("/admin/")
            assert not page.evaluate("'planted' in window")
            assert len(chromium.blocked) == (0 if is_allowed else 1)
        chromium.blocked.clear()
        page.unroute_all()


def plant(code: str, route: Route) -> None:
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace("</main>", code + "</main>"))


@pytest.fixture
def admin(open_page: Open, sign_in_page: SignIn) -> tuple[Page, list[str]]:
    """An empty page, signed in as Alice, and the errors of scripts."""
    page, _ = open_page("about:blank")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}"))
    sign_in_page(page.context, people.alice())
    return page, errors


@pytest.mark.audit
def test_pages_of_wagtail(admin: tuple[Page, list[str]]) -> None:
    page, errors = admin
    shown, image = StandardPage.objects.first(), MediaImage.objects.first()
    workflow, task = Workflow.objects.first(), Task.objects.first()
    document = MediaFile.objects.create(title="Prices", file="media/2026/03/prices.pdf")
    assert shown
    assert image
    assert workflow
    assert task
    paths = (
        *("pages/", f"pages/{shown.pk}/", f"pages/{shown.pk}/copy/", f"pages/{shown.pk}/move/", f"pages/{shown.pk}/history/"),
        *(f"pages/{shown.pk}/delete/", f"pages/{shown.pk}/unpublish/", f"pages/{shown.pk}/add_subpage/", "pages/search/?q=a"),
        *(bulk("wagtailcore", "page", "move", shown), "pages/usage/home/standardpage/", f"pages/{shown.pk}/privacy/"),
        *("images/", "images/multiple/add/", f"images/{image.pk}/", "documents/"),
        *("documents/multiple/add/", f"documents/edit/{document.pk}/", "collections/", "collections/add/"),
        *("workflows/list/", "workflows/add/", f"workflows/edit/{workflow.pk}/", f"workflows/tasks/edit/{task.pk}/"),
        *("sites/new/", f"sites/edit/{Site.objects.get().pk}/", "users/", "users/new/", "groups/", "groups/new/", "account/"),
        *("reports/locked/", "reports/workflow/", "reports/workflow_tasks/", "reports/site-history/", "reports/aging-pages/"),
        *("settings/home/theme/", "api-documentation/", "login/", "password_reset/"),
    )
    for path in paths:
        answer = page.goto(f"/admin/{path}")
        assert answer
        assert answer.status == 200, path
    assert errors == []


def choose(page: Page, opener: str, choice: str, *, tab: str = "") -> None:
    """Open a chooser by the name of its button, and take what is named so."""
    page.get_by_role("button", name=opener).first.click()
    if tab:
        page.locator(".modal").get_by_role("tab", name=tab).click()
    page.locator(".modal").get_by_role("link", name=choice).first.click()
    expect(page.locator(".modal")).to_have_count(0)


def test_wagtail_starts_its_widgets(admin: tuple[Page, list[str]]) -> None:
    """Choosers, calendars and lists of parts, which Wagtail's own templates start by inline scripts."""
    page, errors = admin
    page.goto(f"/admin/content/items/edit/{ContentItem.objects.get(slug='turbine-hall').pk}/")
    page.locator("#id_featured_media-chooser").get_by_role("button", name="Actions").click()
    page.get_by_role("button", name="Choose another image").click()
    page.locator("[data-chooser-modal-choice]").first.click()
    expect(page.locator(".modal")).to_have_count(0)
    page.get_by_role("tab", name="Promote").click()
    page.locator("[name=published_at]").click()
    expect(page.locator(".xdsoft_datetimepicker:visible")).to_have_count(1)

    page.goto("/admin/sites/new/")
    choose(page, "Choose a root page", "Home")
    expect(page.locator("[name=root_page]")).not_to_have_value("")

    page.goto("/admin/workflows/add/")
    page.get_by_role("button", name="Add task").click()
    choose(page, "Choose a task", "Moderators approval", tab="Existing")
    expect(page.locator("[name=workflow_tasks-0-task]")).not_to_have_value("")
    choose(page, "Choose a page", "Home")
    expect(page.locator("[name=pages-0-page]")).not_to_have_value("")
    assert errors == []


def test_the_editor_of_a_page(admin: tuple[Page, list[str]]) -> None:
    page, errors = admin
    shown = StandardPage.objects.get(slug="about")
    page.goto(f"/admin/pages/{shown.pk}/edit/")

    page.get_by_role("button", name="Toggle preview").click()
    preview = page.frame_locator("#w-preview-iframe")
    expect(preview.locator("main h1")).to_be_visible()
    page.get_by_role("button", name="Toggle checks").click()
    expect(page.locator(".form-side--checks")).to_be_visible()
    page.get_by_role("button", name="Toggle comments").click()

    words = page.locator(".Draftail-Editor [contenteditable=true]").first
    words.click()
    page.keyboard.press("End")
    page.keyboard.type(" More.")
    page.keyboard.press("Shift+Home")
    page.keyboard.press("Control+k")
    expect(page.locator(".modal")).to_be_visible()
    page.locator(".modal").get_by_role("button", name="Close").first.click()
    expect(page.locator(".modal")).to_have_count(0)

    page.get_by_role("button", name="Choose an image").first.click()
    page.locator(".modal").get_by_role("tab", name="Upload").click()
    upload = page.locator(".modal input[type=file]")
    upload.set_input_files({"name": "reed.png", "mimeType": "image/png", "buffer": picture()})
    expect(page.locator(".modal").get_by_label("Title")).to_have_value("reed")
    page.locator(".modal").get_by_role("button", name="Upload").click()
    expect(page.locator(".modal")).to_have_count(0, timeout=WAIT_MILLISECONDS)

    page.get_by_role("button", name="Toggle status").click()
    page.get_by_role("button", name="Set schedule").first.click()
    page.locator("[name=go_live_at]").click()
    expect(page.locator(".xdsoft_datetimepicker:visible")).to_have_count(1)
    assert errors == []


def test_uploads_to_the_library(admin: tuple[Page, list[str]]) -> None:
    page, errors = admin
    page.goto("/admin/images/multiple/add/")
    page.locator("input[type=file]").set_input_files({"name": "reed.png", "mimeType": "image/png", "buffer": picture()})
    expect(page.get_by_role("button", name="Update")).to_be_visible(timeout=WAIT_MILLISECONDS)
    page.goto(f"/admin/images/{MediaImage.objects.latest('pk').pk}/")
    expect(page.locator(".jcrop-holder")).to_be_visible()
    assert errors == []
