"""The admin's menu opens to its ends, and the home's first steps can be put away."""

import pytest
from playwright.sync_api import Page, expect

from home.services import create_home_page
from tests.builders import blog_post, make_item, make_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_and_content_open_inside_website(admin_page: Page, width: int) -> None:
    create_home_page()
    make_page(title="Find us")
    make_item(blog_post(), title="A year in numbers")
    admin_page.set_viewport_size({"width": width, "height": 800})
    admin_page.goto("/admin/")
    if width < 800:
        admin_page.get_by_role("button", name="Toggle sidebar").click()
    menu = admin_page.get_by_role("navigation", name="Main menu")
    menu.get_by_role("button", name="Website").click()
    menu.get_by_role("button", name="Content", exact=True).click()
    menu.get_by_role("link", name="Blog").click()
    expect(admin_page.get_by_role("link", name="A year in numbers").first).to_be_visible()
    if width < 800:
        return
    menu.get_by_role("button", name="Website").click()
    menu.get_by_role("button", name="Pages").click()
    expect(menu.get_by_role("link", name="Home").first).to_be_visible()


def test_first_steps_stay_away_once_dismissed(admin_page: Page) -> None:
    create_home_page()
    admin_page.goto("/admin/")
    steps = admin_page.get_by_role("region", name="First steps")
    expect(steps.get_by_role("link", name="Name the site")).to_be_visible()
    with admin_page.expect_response("**/admin/dismissibles/"):
        steps.get_by_role("button", name="Dismiss").click()
    expect(steps).to_be_hidden()
    admin_page.reload()
    expect(admin_page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect(steps).to_have_count(0)
