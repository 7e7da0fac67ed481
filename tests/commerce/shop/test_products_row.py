"""The page row of products: the newest ones, or those of a category, and gone without any."""

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from tests.builders import make_page

from .builders import make_category, make_product

pytestmark = pytest.mark.django_db


def row(**values: object) -> dict[str, object]:
    return {"type": "products", "value": {"heading": "", "category": "", "count": 2, "link": True, **values}}


def shown(**values: object) -> str:
    page = make_page(row(**values))
    return Client().get(page.url).content.decode().partition("<main")[2].partition("</main")[0]


def test_it_works() -> None:
    for name in ("Teapot", "Bowl", "Print"):
        make_product(name)
    page = shown()
    assert "New in the shop" in page
    assert "Print" in page
    assert "Bowl" in page
    assert "Teapot" not in page
    assert 'href="/shop"' in page


def test_of_a_category() -> None:
    make_product("Teapot", category=make_category("Ceramics"))
    make_product("Print")
    page = shown(category="ceramics", heading="")
    assert "Ceramics" in page
    assert "Teapot" in page
    assert "Print" not in page
    assert "<section" not in shown(category="gone")


def test_it_changes_with_the_products_and_hides_with_the_shop() -> None:
    page = make_page(row())
    assert "row--items" not in Client().get(page.url).content.decode()
    make_product("Teapot")
    assert "Teapot" in Client().get(page.url).content.decode()
    switch_feature(name="shop", on=False)
    assert "Teapot" not in Client().get(page.url).content.decode()
