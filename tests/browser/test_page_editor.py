"""An editor builds a page from rows; an integration changes its picture; a visitor sees either at the next load."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from home.models import StandardPage
from home.services import create_home_page
from tests.browser.blocks import insert_block
from tests.browser.chromium import Chromium
from tests.builders import make_image, make_item, make_page, make_token, make_type
from tests.client import Api
from tests.media.files import png

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def visit(chromium: Chromium, path: str) -> Any:
    """Open a page without signing in, and return its headings and first picture."""
    context = chromium.new_context()
    page = context.new_page()
    assert page.goto(path).status == 200  # type: ignore[union-attr]
    found = page.locator("main :is(h1, h2)").all_inner_texts(), page.locator("main img").first.get_attribute("src")
    context.close()
    return found


def publish(page: Page) -> None:
    page.locator("[data-w-dropdown-target='toggle']").last.click()
    page.get_by_role("button", name="Publish").first.click()
    # An autosave may have created the page before.
    expect(page.get_by_text(re.compile("has been published|created and published"))).to_be_visible()


#: Whether a page's form is not autosaved yet.
WAITS = """() => !document.querySelector("#page-edit-form").dispatchEvent(
    new CustomEvent("w-autosave:save", { bubbles: true, cancelable: true }))"""


def test_it_works(admin_page: Page, chromium: Chromium) -> None:
    home = create_home_page()
    make_image("heron.png", width=1000, height=600)
    other = make_image("otter.png", width=1000, height=600)

    admin_page.goto(f"/admin/pages/add/home/standardpage/{home.pk}/")
    assert admin_page.evaluate(WAITS)
    admin_page.get_by_role("textbox", name="Title").fill("Workshops")
    insert_block(admin_page, admin_page.locator("button[title='Insert a block']").first, "Hero")
    assert not admin_page.evaluate(WAITS)
    admin_page.get_by_label("Heading").first.fill("Learn by doing")
    admin_page.get_by_role("button", name="Choose an image").first.click()
    admin_page.locator("[data-chooser-modal-choice]", has_text="heron").click()
    expect(admin_page.locator(".modal")).to_have_count(0)
    publish(admin_page)

    headings, picture = visit(chromium, "/workshops/")
    assert headings == ["Workshops", "Learn by doing"]
    assert "/media/variants/" in picture

    switch_feature(name="api", on=True)
    api = Api(make_token("content:read", "content:write"))
    (place,) = api.get("/pages/images?page=workshops").json()["data"]
    body = {"page": "workshops", "row_slug": place["row_slug"], "key": place["key"], "media_id": other.pk, "alt": "An otter"}
    assert api.patch("/pages/images", body).status_code == 200
    assert visit(chromium, "/workshops/")[1] != picture
    assert any(rendition.file.name in visit(chromium, "/workshops/")[1] for rendition in other.renditions.all())


def test_a_row_that_is_switched_off_can_be_edited_but_not_added(admin_page: Page) -> None:
    page = make_page({"type": "newsletter", "value": {"heading": "News by mail", "text": "", "lists": [], "button": ""}})

    def offered() -> list[str]:
        admin_page.goto(f"/admin/pages/{page.pk}/edit/")
        admin_page.locator("button[title='Insert a block']").first.click()
        expect(admin_page.get_by_role("option", name="Hero", exact=True)).to_be_visible()
        return admin_page.get_by_role("option").all_inner_texts()

    switch_feature(name="marketing", on=True)
    assert "Newsletter sign-up" in offered()
    switch_feature(name="marketing", on=False)
    assert "Newsletter sign-up" not in offered()
    admin_page.keyboard.press("Escape")
    written = admin_page.locator("#rows-0-value-heading")
    expect(written).to_have_value("News by mail")
    written.fill("News by post")
    publish(admin_page)
    assert StandardPage.objects.get().rows[0].value["heading"] == "News by post"


def test_several_pictures_are_added_to_a_gallery_at_once(admin_page: Page) -> None:
    images = [make_image(name) for name in ("heron.png", "otter.png", "perch.png")]
    page = make_page()
    admin_page.goto(f"/admin/pages/{page.pk}/edit/")
    insert_block(admin_page, admin_page.locator("button[title='Insert a block']").first, "Gallery")
    parts = admin_page.locator("[data-contentpath='pictures'] [data-streamfield-child]")
    expect(parts).to_have_count(1)
    # By key: the button moves while the new row unfolds, and a click may miss it.
    add = admin_page.get_by_role("button", name="Add images")
    for names in (("heron.png", "otter.png"), ("perch.png",)):
        add.press("Enter")
        for name in names:
            admin_page.get_by_label(name).check()
        admin_page.get_by_role("button", name="Confirm selection").click()
        expect(admin_page.locator(".modal")).to_have_count(0)
    add.press("Enter")
    admin_page.get_by_role("tab", name="Upload").click()
    files: list[Any] = [{"name": f"{name}.png", "mimeType": "image/png", "buffer": png()} for name in ("dusk", "dawn")]
    admin_page.locator("input[type=file]").set_input_files(files)
    # Wagtail's script asks for a title before it sends anything, and fills it in from the name of the first file.
    expect(admin_page.locator(".modal").get_by_label("Title")).to_have_value("dusk")
    admin_page.locator("form[data-chooser-modal-creation-form] button[type=submit]").click()
    expect(admin_page.locator(".modal")).to_have_count(0)
    expect(parts).to_have_count(5)
    admin_page.get_by_label("Caption").nth(1).fill("At dusk")
    publish(admin_page)
    (row,) = StandardPage.objects.get().rows
    assert [part["picture"].title for part in row.value["pictures"]][2:] == ["perch.png", "dusk", "dawn"]
    assert {part["picture"].pk for part in row.value["pictures"]} >= {image.pk for image in images}
    assert row.value["pictures"][1]["caption"] == "At dusk"
    assert len({bound.id for bound in row.value["pictures"].bound_blocks}) == 5


def test_a_rich_text_editor_is_named_by_the_label_of_its_block(admin_page: Page) -> None:
    question = {"question": "Why?", "answer": "<p>Because.</p>"}
    page = make_page(
        {"type": "text", "value": {"heading": "About", "text": "<p>Us.</p>"}},
        {"type": "faq", "value": {"heading": "Questions", "questions": [question]}},
    )
    admin_page.goto(f"/admin/pages/{page.pk}/edit/")
    expect(admin_page.get_by_role("textbox", name="Text")).to_have_text("Us.")
    expect(admin_page.get_by_role("textbox", name="Answer")).to_have_text("Because.")


def test_a_hidden_type_is_offered_only_where_it_is_chosen(admin_page: Page) -> None:
    make_item()
    make_item(make_type(slug="leaflet", feature="shop", name_plural="Leaflets"))
    kinds = ("leaflet", "blog-post")
    page = make_page(*({"type": "item_list", "value": {"heading": "", "type": kind, "count": 3}} for kind in kinds))
    admin_page.goto(f"/admin/pages/{page.pk}/edit/")
    chosen, other = (admin_page.locator(f"#rows-{number}-value-type") for number in (0, 1))
    expect(chosen).to_have_value("leaflet")
    expect(other).to_have_value("blog-post")
    assert "Leaflets (hidden)" in chosen.locator("option").all_inner_texts()
    expect(other.locator("option[value=leaflet]")).to_have_count(0)
    publish(admin_page)
    assert [row.value["type"] for row in StandardPage.objects.get().rows] == list(kinds)
