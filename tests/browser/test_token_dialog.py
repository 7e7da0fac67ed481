"""A person makes an API token in the dialog, copies it and uses it."""

from contextlib import suppress
from typing import Any

import pytest
import requests
from playwright.sync_api import Error, Page, expect

from cms_api.auth.models import ApiToken
from cms_api.flags.services import switch_feature

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def make_token(page: Page) -> str:
    """Goes through the dialog; the revealed plaintext."""
    page.goto("/admin/api-tokens/")
    page.get_by_role("link", name="Add API token").click()
    page.get_by_role("textbox", name="Name").fill("Newsletter sync")
    page.get_by_role("combobox", name="Expires after").select_option("1 year")
    page.get_by_role("button", name="Read only for Content").press("Enter")
    expect(page.get_by_role("checkbox", name="content:read")).to_be_checked()
    expect(page.get_by_role("checkbox", name="content:write")).not_to_be_checked()
    page.get_by_role("button", name="Create").click()
    return page.get_by_role("textbox", name="API token").input_value()


def read_items(server: Any, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return requests.get(f"{server.url}/api/v1/content-items", headers=headers, timeout=20).status_code


def test_it_works(admin_page: Page, live_server: Any) -> None:
    switch_feature(name="api", on=True)
    plaintext = make_token(admin_page)
    admin_page.get_by_role("button", name="Copy token").click()
    messages = admin_page.locator(".copyable__message")
    expect(messages.first).to_have_text("Copied to the clipboard.")
    assert admin_page.evaluate("navigator.clipboard.readText()") == plaintext
    admin_page.get_by_role("button", name="Copy command").click()
    expect(messages.nth(1)).to_have_text("Copied to the clipboard.")
    assert f"Authorization: Bearer {plaintext}" in admin_page.evaluate("navigator.clipboard.readText()")
    assert read_items(live_server, plaintext) == 200


def test_a_preset_ticks_its_abilities_alone(admin_page: Page) -> None:
    admin_page.goto("/admin/api-tokens/new/")
    admin_page.get_by_role("button", name="Select all of Content").click()
    admin_page.get_by_role("button", name="Ticket scanner: may only check tickets in").click()
    ticked = admin_page.locator("input[name=abilities]:checked")
    expect(ticked).to_have_count(1)
    expect(ticked).to_have_value("ticketing:write")
    expect(admin_page.get_by_role("combobox", name="Restriction")).to_have_value("ticket_scanner")


def test_neither_reload_nor_back_shows_it_again(admin_page: Page) -> None:
    plaintext = make_token(admin_page)
    admin_page.reload()
    assert plaintext not in admin_page.content()
    again = make_token(admin_page)
    admin_page.get_by_role("link", name="Done").click()
    expect(admin_page.get_by_role("link", name="Newsletter sync").first).to_be_visible()
    # The browser has nothing to show and may say so with an error page.
    with suppress(Error):
        admin_page.go_back()
    # Waits for that page too, and asks anew where it comes in between.
    shown = admin_page.wait_for_function(
        """document.readyState === "complete"
        && [document.body.innerText, ...[...document.querySelectorAll("textarea")].map((each) => each.value)]"""
    )
    assert again not in "".join(shown.json_value())
    assert ApiToken.objects.count() == 2
