"""The pages of the catalogue and of a product: what visitors see, what machines read, and when a cached page is made again."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from commerce.shop.models import ProductVariant
from commerce.shop.services import archive_product, delete_category, save_product
from tests.builders import make_image

from .builders import make_category, make_product, make_variant, variants

pytestmark = pytest.mark.django_db


def html(path: str, **query: Any) -> str:
    answer = Client().get(path, query)
    assert answer.status_code == 200, path
    return answer.content.decode()


def shown(**query: Any) -> list[str]:
    """The names of the products on a page of the catalogue."""
    return re.findall(r'product-card__name"><a href="[^"]+">([^<]+)<', html("/shop", **query))


def linked_data(path: str) -> dict[str, Any]:
    found = [json.loads(text) for text in re.findall(r'<script type="application/ld\+json">(.*?)</script>', html(path))]
    return next(each for each in found if each["@type"] == "Product")


def test_it_works(settings: Any) -> None:
    settings.SITE_CURRENCY = "usd"
    category = make_category("Ceramics", description="Made here.")
    make_product("Mug", summary="Holds tea.", category=category, price=2400, pictures=[make_image().pk])
    page = html("/shop")
    assert "$24.00" in page
    assert "Holds tea." in page
    assert shown() == ["Mug"]
    assert "Made here." in html("/shop/categories/ceramics")
    detail = html("/shop/products/mug")
    for words in ("$24.00", "Holds tea.", "Add to cart", 'action="/shop/cart/add"', "Ceramics", 'name="quantity"'):
        assert words in detail
    assert f'name="variant" value="{ProductVariant.objects.get().pk}"' in detail
    assert "csrf" not in detail


@pytest.mark.parametrize("path", ["/shop/categories/x", "/shop/products/x", "/shop/products/1", "/shop/products/draft"])
def test_unknown_and_hidden_pages(path: str) -> None:
    make_product("Draft", status="draft")
    assert Client().get(path).status_code == 404


@pytest.mark.both_databases
def test_search_filters_and_order() -> None:
    ceramics = make_category("Ceramics")
    make_product("Mug", price=2400, sizes="S M", category=ceramics)
    make_product("Bowl", price=900, stock=0, category=ceramics)
    make_product("Shirt", price=5000, sizes="M L")
    make_product("Hidden", status="archived")
    assert shown() == ["Shirt", "Bowl", "Mug"]
    assert shown(q="mu") == ["Mug"]
    assert shown(in_stock="1") == ["Shirt", "Mug"]
    assert shown(sort="price") == ["Bowl", "Mug", "Shirt"]
    assert shown(sort="-price") == ["Shirt", "Mug", "Bowl"]
    assert shown(sort="name") == ["Bowl", "Mug", "Shirt"]
    assert shown(price_from="9.01", price_to="24") == ["Mug"]
    assert shown(**{"option.Size": "L"}) == ["Shirt"]
    assert shown(**{"option.Size": ["S", "L"]}) == ["Shirt", "Mug"]
    assert "No products found" in html("/shop", q="kettle")


def test_one_variant_has_all_the_options_and_is_in_stock() -> None:
    options = [{"name": "Size", "values": ["S", "M"]}, {"name": "Colour", "values": ["Red", "Blue"]}]
    made = [(["S", "Red"], 1), (["M", "Blue"], 0)]
    rows = [{"values": values, "price_cents": 1, "stock": stock} for values, stock in made]
    make_product("Shirt", options=options, variants=rows)
    assert shown(**{"option.Size": "S", "option.Colour": "Red"}) == ["Shirt"]
    assert shown(**{"option.Size": "S", "option.Colour": "Blue"}) == []
    assert shown(**{"option.Size": "M", "in_stock": "1"}) == []


@pytest.mark.parametrize(
    "query",
    [
        {"q": "a\0b"},
        {"q": "x" * 5000},
        {"sort": "stock"},
        {"page": "9" * 40},
        {"option.Size": "\0"},
        {"option.Size__gt": "x"},
        {"price_from": "1e999999"},
        {"price_to": "\0"},
    ],
)
def test_hostile_queries_are_answered(query: dict[str, str]) -> None:
    make_product(sizes="S M")
    html("/shop", **query)


def test_an_amount_that_cannot_be_read_is_explained() -> None:
    make_product()
    page = html("/shop", price_from="cheap")
    assert "Enter an amount such as" in page
    assert 'value="cheap"' in page
    assert shown(price_from="cheap") != []


@pytest.mark.both_databases
def test_pages_keep_the_filters() -> None:
    for _ in range(25):
        make_product(sizes="S M")
    page = html("/shop", **{"sort": "name", "option.Size": "S"})
    assert "?sort=name&amp;option.Size=S&amp;page=2" in page
    assert len(shown(sort="name", page=2)) == 1


def test_stock_notices() -> None:
    make_variant(stock=5, reserved=2, product={"name": "Mug"})
    make_variant(stock=0, product={"name": "Bowl"})
    assert "Only 3 left" in html("/shop/products/mug")
    bowl = html("/shop/products/bowl")
    assert "Out of stock" in bowl
    assert "Add to cart" not in bowl
    page = html("/shop")
    assert "Only 3 left" in page
    assert "Out of stock" in page


def test_variants_are_chosen() -> None:
    few = make_product("Mug", sizes="S M")
    ProductVariant.objects.filter(pk=variants(few)[0].pk).update(stock=0)
    page = html("/shop/products/mug")
    assert len(re.findall(r'type="radio" name="variant"', page)) == 2
    assert re.search(rf'value="{variants(few)[0].pk}" required disabled', page)
    assert re.search(rf'value="{variants(few)[1].pk}" required checked', page)
    make_product("Shirt", sizes="XS S M L XL XXL 3XL")
    assert '<select class="form__input" id="variant" name="variant">' in html("/shop/products/shirt")


def test_structured_data(settings: Any) -> None:
    settings.SITE_CURRENCY = "jpy"
    product = make_product("Mug", sizes="S M", price=2400, meta_description="Thrown.")
    ProductVariant.objects.filter(pk=variants(product)[1].pk).update(stock=0)
    found = linked_data("/shop/products/mug")
    assert (found["name"], found["description"]) == ("Mug", "Thrown.")
    first, second = found["offers"]
    assert (first["price"], first["priceCurrency"]) == ("2400", "JPY")
    assert (first["availability"], second["availability"]) == ("https://schema.org/InStock", "https://schema.org/OutOfStock")
    settings.SITE_CURRENCY = "kwd"
    make_product("Bowl", price=1500)
    assert linked_data("/shop/products/bowl")["offers"][0]["price"] == "1.500"


def test_hostile_texts_are_escaped() -> None:
    slug = make_product("</script><b>Mug", summary="<i>", sizes="<u> &").slug
    page = html("/shop") + html("/shop/products/" + slug)
    assert "<b>Mug" not in page
    assert "<i>" not in page


def test_related_products_are_of_the_same_category() -> None:
    ceramics = make_category("Ceramics")
    make_product("Mug", category=ceramics)
    make_product("Bowl", category=ceramics)
    make_product("Print")
    page = html("/shop/products/mug")
    assert "You may also like" in page
    assert "Bowl" in page
    assert "Print" not in page
    assert "You may also like" not in html("/shop/products/print")


def test_cached_pages_are_made_again() -> None:
    category = make_category("Ceramics")
    product = make_product("Mug", category=category, price=1000)
    paths = ("/shop", "/shop/products/mug", "/shop/categories/ceramics")
    for change in (
        lambda: save_product(product=product, values={"name": "Cup"}),
        lambda: save_product(product=product, values={"variants": [{"id": variants(product)[0].pk, "stock": 1}]}),
    ):
        before = [html(path) for path in paths]
        assert [html(path) for path in paths] == before
        change()
        assert all(html(path) != former for path, former in zip(paths, before, strict=True))
    delete_category(category=category)
    assert Client().get("/shop/categories/ceramics").status_code == 404
    archive_product(product=product)
    assert Client().get("/shop/products/mug").status_code == 404
    assert shown() == []


@pytest.mark.both_databases
def test_a_page_takes_a_constant_number_of_statements(django_assert_max_num_queries: Callable[..., Any]) -> None:
    category, image = make_category("Ceramics"), make_image()
    for _ in range(12):
        make_product(category=category, sizes="S M", pictures=[image.pk], description="<p>x</p>")
    html("/shop", sort="name")
    with django_assert_max_num_queries(12):
        html("/shop", sort="price")


def test_the_shop_is_listed_elsewhere() -> None:
    make_product("Mug", summary="Holds tea.")
    make_product("Hidden", status="draft")
    found = html("/search", q="mug")
    assert "/shop/products/mug" in found
    assert "/shop/products/hidden" not in html("/search", q="hidden")
    assert "/shop/products/mug" in html("/sitemap.xml")


def test_nothing_is_there_while_the_shop_is_off() -> None:
    make_product("Mug")
    switch_feature(name="shop", on=False)
    assert Client().get("/shop", follow=True).status_code == 404
    assert "/shop/products/mug" not in html("/search", q="mug")
