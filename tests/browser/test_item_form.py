"""People make a content type, write an item in the form made from it, and see it on the site."""

from datetime import UTC, datetime
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.content.models import ContentItem
from cms_api.flags.services import set_setting
from tests import people
from tests.browser.blocks import insert_block
from tests.builders import field, make_image, make_item, make_type

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(page: Page, person: Any) -> None:
    page.goto("/admin/login/")
    page.get_by_label("Username").fill(person.username)
    page.get_by_label("Password").fill(people.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url("/admin/")


def add_field(page: Page, kind: str, label: str) -> None:
    insert_block(page, page.get_by_role("button", name="Insert a block").last, kind)
    page.locator("[data-streamfield-child] input[name$=value-label]").last.fill(label)


def publish(page: Page) -> None:
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("button", name="Publish").click()


def open_item(page: Page, item: ContentItem) -> Page:
    page.goto(f"/admin/content/items/edit/{item.pk}/")
    expect(page.locator("[name=data__title]")).to_be_visible()
    return page


def test_from_a_new_type_to_a_public_page(page: Page) -> None:
    sign_in(page, people.bob())
    page.goto("/admin/content/types/new/")
    page.locator("[name=name]").press_sequentially("Recipes")
    expect(page.locator("[name=slug]")).to_have_value("recipes")
    page.locator("[name=name_plural]").fill("Recipes")
    page.get_by_role("tab", name="Fields").click()
    add_field(page, "Rich text", "Method")
    add_field(page, "Opening hours", "Served")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_text("Content type 'Recipes' created.")).to_be_visible()

    page.goto("/admin/content/items/add/")
    page.get_by_role("link", name="Recipes").click()
    page.locator("[name=data__title]").fill("Onion soup")
    page.locator(".content-richtext__text").click()
    page.keyboard.type("Slice the ")
    page.get_by_role("button", name="Bold").click()
    page.keyboard.type("onions")
    page.get_by_role("button", name="Add opening hours on Monday").click()
    page.get_by_label("Monday, opens").fill("12:00")
    page.get_by_label("Monday, closes").fill("14:00")
    publish(page)
    expect(page.get_by_text("Recipes 'Onion soup' published.")).to_be_visible()
    item = ContentItem.objects.get()
    assert item.data["method"] == "<p>Slice the <strong>onions</strong></p>"
    assert item.data["served"]["mon"] == [{"open": "12:00", "close": "14:00"}]

    page.goto("/recipes/onion-soup")
    expect(page.get_by_role("heading", name="Onion soup")).to_be_visible()
    expect(page.get_by_text("Slice the onions")).to_be_visible()


def test_related_items_are_chosen_and_ordered(admin_page: Page) -> None:
    first, second = make_item(title="First thing"), make_item(title="Second thing")
    pictures = [make_image("heron.png"), make_image("otter.png")]
    item = make_item(make_type(field("related", "relation", multiple=True), field("pictures", "gallery")))
    page = open_item(admin_page, item)
    page.get_by_role("button", name="Add images").click()
    page.get_by_label("heron.png").check()
    page.get_by_label("otter.png").check()
    page.get_by_role("button", name="Confirm selection").click()
    expect(page.locator(".content-picker--image [data-content-picker-entry]:visible")).to_have_count(2)
    page.get_by_role("button", name="Add items").click()
    page.get_by_label("First thing").check()
    page.get_by_label("Second thing").check()
    page.get_by_role("button", name="Confirm selection").click()
    entries = page.locator(".content-picker--item [data-content-picker-entry]:visible")
    expect(entries).to_have_count(2)
    chosen = entries.locator("[data-part=value]").evaluate_all("(inputs) => inputs.map((input) => Number(input.value))")
    entries.first.get_by_role("button", name="Move down").click()
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    item.refresh_from_db()
    assert item.data["related"] == chosen[::-1]
    assert set(chosen) == {first.pk, second.pk}
    assert sorted(item.data["pictures"]) == sorted(picture.file.name for picture in pictures)


def test_repetition_shows_what_applies(admin_page: Page) -> None:
    item = make_item(make_type(field("event_date", "datetime")))
    page = open_item(admin_page, item)
    page.get_by_label("Starts").fill("2026-03-02")
    page.get_by_label("All day").check()
    expect(page.get_by_label("Time zone")).to_be_hidden()
    expect(page.get_by_label("Monday")).to_be_hidden()
    page.get_by_label("Repeats").select_option("Weekly")
    page.get_by_label("Monday").check()
    page.get_by_label("Repetition ends").select_option("On a date")
    page.get_by_label("Last day").fill("2026-04-30")
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    item.refresh_from_db()
    value = item.data["event_date"]
    assert (value["start"], value["all_day"]) == ("2026-03-02", True)
    assert value["repeat"]["weekdays"] == ["mon"]
    assert (value["repeat"]["until"], value["repeat"]["count"]) == ("2026-04-30", None)


def test_the_editor_of_rich_text_keeps_what_it_does_not_know(admin_page: Page) -> None:
    figure = '<figure><img src="/media/media/x.jpg" alt="X" width="30"><figcaption>C</figcaption></figure>'
    html = figure + '<table><tbody><tr><td colspan="2">T</td></tr></tbody></table><p>End</p>'
    item = make_item(make_type(field("body", "richtext_tiptap")), data={"body": html})
    page = open_item(admin_page, item)
    page.locator(".content-richtext__text").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" of text")
    page.locator(".content-richtext__text").evaluate("(it) => it.insertAdjacentHTML('beforeend', '<script>1</script>')")
    page.keyboard.type("!")
    publish(page)
    page.wait_for_url("**/admin/content/items/?type=*")
    item.refresh_from_db()
    assert item.data["body"] == html.replace("End", "End of text!")


def test_a_date_stays_as_it_is_typed(page: Page) -> None:
    """Wagtail's picker would replace a text that it can't read by today's date."""
    item = make_item(make_type())
    set_setting(key="site.country", value="DE")
    set_setting(key="site.timezone", value="Europe/Berlin")
    sign_in(page, people.bob())
    open_item(page, item).get_by_role("tab", name="Promote").click()
    typed = page.locator("[name=published_at]")
    for text in ("25.10.2026 02:30 CET", "2026-10-25 02:30 CET"):
        typed.fill(text)
        # It opens a moment after the field is entered, and closes with it.
        expect(page.locator(".xdsoft_datetimepicker:visible")).to_have_count(1)
        typed.press("Tab")
        expect(page.locator(".xdsoft_datetimepicker:visible")).to_have_count(0)
        expect(typed).to_have_value(text)
    publish(page)
    expect(page.get_by_text("25 Oct 2026, 02:30 CET")).to_be_visible()
    item.refresh_from_db()
    assert item.published_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
