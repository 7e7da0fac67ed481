"""The page of an import moves by itself while its rows are written, and stops asking once it is over."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from commerce.imports.services import working
from commerce.imports.services.working import work
from tests import people
from tests.browser.conftest import SignIn
from tests.commerce.imports.files import make_run, start_run, table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_works(admin_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    switch_feature(name="crm", on=True)
    run = start_run(make_run(table("a@example.com", "b@example.com", "bad", "c@example.com")))
    problems: list[str] = []
    admin_page.on("pageerror", lambda error: problems.append(str(error)))
    admin_page.goto(f"/admin/imports/{run.pk}/")
    expect(admin_page.locator("progress")).to_have_js_property("value", 0)

    def check_progress(count: int) -> None:
        run.refresh_from_db()
        expect(admin_page.locator("progress")).to_have_js_property("value", run.done)

    work(run.pk, check_progress)
    expect(admin_page.get_by_text("All 4 rows have been processed.")).to_be_visible()
    expect(admin_page.get_by_text("The email must be a valid email address.")).to_be_visible()
    expect(admin_page.get_by_role("button", name="Cancel import")).to_have_count(0)
    asked: list[str] = []
    admin_page.on("request", lambda request: asked.append(request.url))
    admin_page.wait_for_timeout(1500)
    assert (asked, problems) == ([], [])


def test_without_scripts_the_page_loads_itself_again(plain_page: Page, sign_in_page: SignIn) -> None:
    switch_feature(name="crm", on=True)
    run = start_run(make_run())
    sign_in_page(plain_page.context, people.alice())
    plain_page.goto(f"/admin/imports/{run.pk}/")
    work(run.pk)
    expect(plain_page.get_by_text("All 3 rows have been processed.")).to_be_visible(timeout=10_000)
