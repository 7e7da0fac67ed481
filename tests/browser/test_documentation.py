"""A developer reads the API documentation: searches it, chooses a language and tries requests with a token."""

import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Request, expect

from cms_api.content.models import ContentItem
from cms_api.flags.services import set_setting, switch_feature
from cms_api.media.models import MediaImage
from tests.builders import blog_post, make_item, make_token

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PUBLIC, ADMIN = "/api-documentation", "/admin/api-documentation/"
STORED = "() => JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])"


@pytest.fixture
def public(transactional_db: None) -> None:
    for feature in ("api", "webhooks"):
        switch_feature(name=feature, on=True)
    set_setting(key="api.public_documentation", value=True)


@pytest.fixture
def docs(public: None, page: Page) -> Page:
    page.goto(PUBLIC)
    return page


def open_form(page: Page, anchor: str) -> Locator:
    operation = page.locator(f"#{anchor}")
    operation.get_by_text("Try it", exact=True).click()
    return operation.locator(".api-try")


def send(form: Locator) -> str:
    """Send the form's request; the response as it is shown."""
    form.get_by_role("button", name=re.compile("^Send")).click()
    expect(form.get_by_role("status")).to_have_text(re.compile("^(Success|Error): "))
    return form.inner_text()


@pytest.mark.parametrize("address", [PUBLIC, ADMIN])
def test_it_works(public: None, admin_page: Page, address: str) -> None:
    page, requests = admin_page, list[Request]()
    make_item(blog_post(), data={"title": "<b>Grüße</b>"})
    token = make_token("content:read", "content:write")
    page.on("request", lambda request: requests.append(request) if "/api/v1/" in request.url else None)
    page.goto(address)
    form = open_form(page, "content_items_list")
    assert "401" in send(form)
    form.get_by_role("button", name="Enter a token").click()
    page.keyboard.type(token)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_have_text(re.compile("^Success: 200"))
    answer = form.inner_text()
    for words in ('"title": "<b>Grüße</b>"', "X-RateLimit-Remaining", "ETag", "X-Request-Id"):
        assert words in answer
    form.get_by_text("Optional parameters").click()
    form.get_by_label("status").select_option("draft")
    form.get_by_label("search").fill("a&b=c")
    assert '"total": 0' in send(form)
    assert requests[-1].url.endswith("?search=a%26b%3Dc&status=draft")

    form = open_form(page, "content_items_create")
    expect(form.get_by_text("This changes the data of this site.")).to_be_visible()
    assert "Success: 201" in send(form)
    assert ContentItem.objects.get(slug="spring-opening").status == "published"
    form.get_by_label("Body (JSON)").fill("{")
    assert "Error: 400" in send(form)
    assert [each for each in requests if "cookie" in each.all_headers()] == []
    assert token not in page.evaluate(STORED)


def test_path_parameters_are_required_and_stay_in_the_path(docs: Page) -> None:
    requests = list[Request]()
    docs.on("request", lambda request: requests.append(request) if "/api/v1/" in request.url else None)
    form = open_form(docs, "content_items_get")
    form.get_by_role("button", name="Send GET request").click()
    expect(form.get_by_label("item")).to_be_focused()
    assert requests == []
    form.get_by_label("item").fill("a/b?c")
    send(form)
    assert requests[-1].url.endswith("/api/v1/content-items/a%2Fb%3Fc")


def test_a_file_is_uploaded(docs: Page) -> None:
    image = BytesIO()
    Image.new("RGB", (8, 6), "teal").save(image, "PNG")
    docs.get_by_label("Token for").fill(make_token("media:write"))
    form = open_form(docs, "media_create")
    form.get_by_label("file").set_input_files({"name": "reed.png", "mimeType": "image/png", "buffer": image.getvalue()})
    form.get_by_label("category").fill("")
    assert "Success: 201" in send(form)
    assert MediaImage.objects.get().alt == "Fishing boats in the harbour"


def test_the_token_is_gone_after_a_reload(docs: Page) -> None:
    docs.get_by_label("Token for").fill("swt_secret")
    docs.reload()
    expect(docs.get_by_label("Token for")).to_have_value("")


def test_the_language_is_the_same_everywhere_and_remembered(docs: Page) -> None:
    samples = docs.locator("#content_items_list .api-sample, #media_create .api-sample")
    expect(samples.filter(visible=True)).to_have_count(2)
    docs.locator("#content_items_list").get_by_role("button", name="Python").click()
    for _ in range(2):
        pressed = docs.locator("#media_create").get_by_role("button", name="Python")
        expect(pressed).to_have_attribute("aria-pressed", "true")
        expect(samples.filter(visible=True)).to_have_count(2)
        expect(samples.filter(visible=True).first).to_contain_text("import requests")
        docs.reload()
    docs.locator("#media_create").get_by_role("button", name="Copy").click()
    expect(docs.locator("#media_create").get_by_role("button", name="Copied")).to_be_visible()
    assert docs.evaluate("navigator.clipboard.readText()").startswith("import requests")


def test_search(docs: Page) -> None:
    count, box = docs.locator("#api-count"), docs.get_by_role("searchbox", name="Search", exact=True)
    expect(count).to_have_text(re.compile(r"^\d+ operations, \d+ events, \d+ records$"))
    docs.keyboard.press("End")
    docs.keyboard.press("/")
    expect(box).to_be_focused()
    docs.keyboard.type("featured_media_id content_item.created")
    expect(count).to_have_text("1 event")
    expect(docs.locator("#webhook_content_item_created")).to_be_in_viewport()
    docs.keyboard.press("Escape")
    expect(box).to_have_value("")
    docs.keyboard.type("no/such/thing")
    expect(count).to_have_text("No matches")
    expect(docs.get_by_text("Nothing matches.")).to_be_visible()
    docs.evaluate("location.hash = '#media_create'")
    expect(docs.locator("#media_create")).to_be_in_viewport()
    expect(box).to_have_value("")


def test_the_key_can_be_switched_off(docs: Page) -> None:
    docs.get_by_label("Press / to search").uncheck()
    for _ in range(2):
        docs.keyboard.press("/")
        expect(docs.get_by_role("searchbox", name="Search", exact=True)).not_to_be_focused()
        docs.reload()


def test_without_scripts_all_languages_can_be_read(public: None, plain_page: Page) -> None:
    plain_page.goto(PUBLIC)
    expect(plain_page.locator("#media_create .api-sample").filter(visible=True)).to_have_count(3)
    expect(plain_page.get_by_text("Try it", exact=True).filter(visible=True)).to_have_count(0)
    expect(plain_page.get_by_label("Token for")).to_be_hidden()


def test_it_says_that_the_api_is_off(admin_page: Page) -> None:
    admin_page.goto(ADMIN)
    form = open_form(admin_page, "openapi_json")
    expect(form.get_by_text("The API is switched off: the response will be a 404.")).to_be_visible()
