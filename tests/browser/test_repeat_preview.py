"""An editor makes a date repeat and sees below it what that means, before anything is saved."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.content.models import ContentItem
from events.models import Rsvp
from tests.builders import field, make_item, make_type

from .test_item_form import open_item, publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_rule_is_previewed_changed_and_published(admin_page: Page) -> None:
    page, item_type = admin_page, make_type(field("at", "datetime"))
    page.goto(f"/admin/content/items/add/?type={item_type.slug}")
    page.locator("[name=data__title]").fill("Choir")
    preview = page.locator(".events-preview")
    expect(preview.locator("li")).to_have_count(0)
    page.get_by_label("Starts").fill("2099-01-30")
    page.locator("[name=data__at-start_time]").fill("18:30")
    page.get_by_label("Repeats").select_option("Monthly")
    page.get_by_label("Repeat on").select_option("On the same weekday of the month")
    page.get_by_label("Repetition ends").select_option("After a number of times")
    page.get_by_role("spinbutton", name="Number of times").fill("13")
    expect(preview).to_contain_text("Every month on the last Friday, 13 times")
    expect(preview).to_contain_text("The next 12 dates")
    expect(preview.locator("li")).to_have_count(12)
    expect(preview.locator("li").nth(1)).to_contain_text("February 27, 2099")
    # The edited field keeps the focus; the preview does not take it.
    expect(page.get_by_role("spinbutton", name="Number of times")).to_be_focused()

    room = page.locator("[data-events-preview-target=dates]")
    before = room.bounding_box()
    page.get_by_role("spinbutton", name="Number of times").fill("1001")
    expect(preview).to_contain_text("The count field must be between 1 and 1000.")
    expect(preview.locator("li")).to_have_count(0)
    after = room.bounding_box()
    # Their room is kept, so that the form below does not jump.
    assert before
    assert after
    assert after["height"] == pytest.approx(before["height"], abs=1)

    page.get_by_label("Repeats").select_option("Weekly")
    page.get_by_role("spinbutton", name="Every").fill("2")
    page.get_by_role("spinbutton", name="Number of times").fill("3")
    expect(preview).to_contain_text("Every 2 weeks on Friday, 3 times")
    expect(preview.locator("li")).to_have_count(3)
    expect(preview.locator("li").nth(1)).to_contain_text("February 13, 2099")
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    item = ContentItem.objects.get(owner=None)
    starts = ContentItem.objects.filter(owner=item).order_by("starts_at").values_list("data__at__start", flat=True)
    assert list(starts) == ["2099-02-13T18:30:00", "2099-02-27T18:30:00"]


def test_what_becomes_of_dates_with_replies_is_told(admin_page: Page) -> None:
    repeat = {"frequency": "weekly", "count": 4}
    item = make_item(make_type(field("at", "datetime")), data={"at": {"start": "2099-01-30T18:30", "repeat": repeat}})
    row = ContentItem.objects.filter(owner=item).order_by("starts_at").first()
    assert row
    given = {"name": "Dana", "email": "dana@example.org", "email_key": "dana@example.org"}
    Rsvp.objects.create(event=item, occurrence=row, occurrence_start="2099-02-06T18:30:00", **given)
    page = open_item(admin_page, item)
    summary = page.locator(".events-preview [aria-live=polite]")
    expect(summary).to_contain_text("all 4 dates stay as they are.")
    page.get_by_label("Repeats").select_option("Does not repeat")
    notice = "When this is published: 3 dates are removed, 1 of them has RSVPs and stays as cancelled; 1 stays."
    expect(summary).to_contain_text(notice)
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    assert [row.data["at"]["cancelled"] for row in ContentItem.objects.filter(owner=item)] == [True]


def test_the_form_works_where_the_preview_fails(admin_page: Page) -> None:
    item = make_item(make_type(field("at", "datetime")))
    page = open_item(admin_page, item)
    page.route("**/dates/preview/", lambda route: route.fulfill(status=500, body="<h1>Failure</h1>"))
    page.get_by_label("Starts").fill("2099-01-30")
    page.get_by_label("All day").check()
    page.get_by_label("Repeats").select_option("Daily")
    expect(page.get_by_text("The preview could not be updated.")).to_be_visible()
    expect(page.get_by_text("Failure")).to_have_count(0)
    page.unroute("**/dates/preview/")
    page.get_by_label("Repetition ends").select_option("After a number of times")
    page.get_by_role("spinbutton", name="Number of times").fill("2")
    expect(page.locator(".events-preview li")).to_have_count(2)
    expect(page.get_by_text("The preview could not be updated.")).to_be_hidden()
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    assert ContentItem.objects.filter(owner=item).count() == 1
