"""Words that are longer than a phone is wide break, wherever somebody may enter one."""

from typing import Any

import pytest
from playwright.sync_api import Page

from cms_api.flags.services import set_setting, switch_feature
from commerce.directory.models import Category
from commerce.directory.services.categories import save_category
from commerce.shop.services.categories import save_category as save_product_category
from tests.commerce.directory.admin_builders import listing
from tests.commerce.real_estate.builders import make_feed, make_property
from tests.commerce.shop.builders import make_product

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORD = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch"
WIDTH = 390
#: The elements that are wider than the page, outermost first.
WIDE = """[...document.querySelectorAll("main *, header *, footer *")]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => `${each.tagName}.${each.className}`).slice(0, 5)"""


@pytest.fixture
def site(transactional_db: None, settings: Any) -> list[str]:
    """Records with a long word in each text, and the paths of their pages."""
    for feature in ("real_estate", "directory", "shop"):
        switch_feature(name=feature, on=True)
    set_setting(key="real_estate.disclaimer", value=WORD)
    place = {"City": WORD, "StateOrProvince": WORD, "StreetName": WORD, "PropertyType": WORD, "PropertySubType": WORD}
    more = {"PublicRemarks": WORD, "ListAgentFullName": WORD, "ListOfficeName": WORD, "UnitNumber": WORD[:40]}
    feed = make_feed()
    house = make_property(feed, 1, **place, **more)
    make_property(feed, 2, **place, **more)
    save_category(values={"name": WORD})
    texts = dict.fromkeys(("description", "street", "street2", "city", "state"), WORD)
    shop = listing(WORD, categories=[Category.objects.get().pk], email=f"{WORD}@example.com", **texts)
    category = save_product_category(values={"name": WORD})
    product = make_product(WORD, category=category, description=f"<p>{WORD}</p>", status="published")
    return [
        "/real-estate",
        f"/real-estate?area={WORD}&q={WORD}",
        f"/real-estate/listings/{house.slug}",
        f"/real-estate/listings/{house.slug}/inquire",
        "/directory",
        f"/directory/{shop.slug}",
        f"/directory/category/{Category.objects.get().slug}",
        "/shop",
        f"/shop/products/{product.slug}",
        f"/shop/categories/{category.slug}",
        f"/search?q={WORD}",
    ]


def test_long_words_break(site: list[str], plain_page: Page) -> None:
    plain_page.set_viewport_size({"width": WIDTH, "height": 844})
    found = {}
    for path in site:
        answer = plain_page.goto(path)
        assert answer is not None
        assert answer.status == 200, path
        width = plain_page.evaluate("document.documentElement.scrollWidth")
        if width > WIDTH:
            found[path] = (width, plain_page.evaluate(WIDE))
    assert found == {}
