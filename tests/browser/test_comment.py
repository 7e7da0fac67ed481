"""A visitor comments on an item with a browser that runs no scripts, and a moderator approves it in the admin."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.comments.models import Comment
from cms_api.comments.types import Status
from tests.builders import make_item, make_type

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_it_works(admin_page: Page, plain_page: Page) -> None:
    item = make_item(make_type(comments_enabled=True), title="Bakery tours")
    visitor = plain_page
    path = f"/{item.type.slug}/{item.slug}"
    visitor.goto(path)
    assert visitor.context.cookies() == []
    visitor.get_by_role("link", name="Write a comment").click()
    visitor.get_by_label("Your name").fill("Dana Reyes")
    visitor.get_by_label("Your comment").fill("May one bring a dog?")
    visitor.get_by_role("button", name="Submit comment").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your email address.")
    visitor.get_by_label("Your email address").fill("dana@example.com")
    visitor.get_by_role("button", name="Submit comment").click()
    expect(visitor.get_by_role("status")).to_have_text("Thank you. Your comment will appear once it's approved.")
    assert Comment.objects.get().status == Status.PENDING

    admin_page.goto("/admin/")
    admin_page.get_by_role("link", name="Comments awaiting moderation").click()
    admin_page.get_by_role("checkbox", name="Select", exact=True).first.check()
    admin_page.get_by_role("link", name="Approve selected comments").or_(
        admin_page.get_by_role("button", name="Approve selected comments")
    ).click()
    admin_page.get_by_role("button", name="Approve").click()
    expect(admin_page.get_by_text("1 comment approved.")).to_be_visible()

    visitor.goto(path)
    expect(visitor.get_by_role("heading", name="1 comment")).to_be_visible()
    expect(visitor.get_by_text("May one bring a dog?")).to_be_visible()
