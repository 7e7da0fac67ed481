"""An admin changes the theme, and sees the site beside the form before anything is saved."""

import re

import pytest
from playwright.sync_api import Page, expect

from home.models import Theme
from home.services import create_home_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_works(admin_page: Page) -> None:
    """The preview opens by itself, follows the form and shows both schemes; the stored theme stays as it is."""
    create_home_page()
    page = admin_page
    # Wagtail compares the form with its state two seconds after the page has loaded.
    page.add_init_script("document.addEventListener('w-unsaved:watch-edits', () => { document.body.dataset.watched = ''; })")
    page.goto("/admin/settings/home/theme/")
    expect(page.locator("body[data-watched]")).to_have_count(1)
    site = page.frame_locator("#w-preview-iframe")
    expect(site.locator(".site-name")).to_contain_text("My site")

    page.locator("[name=site_name]").fill("The old mill")
    expect(site.locator(".site-name")).to_contain_text("The old mill")
    page.locator("[name=accent]").fill("#8c1d40")
    expect(site.locator(".mark .mark__a").first).to_have_css("fill", "rgb(140, 29, 64)")
    page.locator("[name=fonts][value=system]").check()
    expect(site.locator("html")).to_have_attribute("data-fonts", "system")

    ground = site.locator("body")
    expect(ground).to_have_css("background-color", "rgb(251, 251, 250)")
    page.get_by_label("Preview mode").select_option("Samples, dark")
    expect(site.get_by_role("heading", name="The old mill")).to_be_visible()
    expect(ground).to_have_css("background-color", "rgb(15, 17, 23)")
    expect(site.locator(".samples__uses")).to_contain_text(re.compile(r"Links\s+[6-9](\.\d)? : 1\s+Adjusted"))
    assert set(Theme.objects.values_list("accent", "fonts")) == {("", "modern")}

    # Editors who close it find it closed.
    page.get_by_role("button", name="Toggle preview").click()
    page.goto("/admin/settings/home/theme/")
    expect(page.locator("#w-preview-iframe")).to_be_hidden()
