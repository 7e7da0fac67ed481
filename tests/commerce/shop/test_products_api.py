"""GET /shop/products: filters, order, and look-up by id or slug."""

from typing import Any

import pytest

from commerce.shop.models import Product, ProductVariant
from tests.builders import make_image, make_token
from tests.client import Api

from .builders import make_category, make_product, make_variant


def slugs(api: Api, **query: Any) -> list[str]:
    return [row["slug"] for row in api.data("/shop/products", **query)]


@pytest.mark.both_databases
def test_it_works(shop_api: Api) -> None:
    image, category = make_image(), make_category("Ceramics")
    product = make_product(
        "Mug",
        description="<p>Thrown</p>",
        category=category,
        pictures=[image.pk],
        options=[{"name": "Size", "values": ["S", "M"]}],
        variants=[
            {"values": ["M"], "price_cents": 2600, "sku": "MUG-M", "stock": 4},
            {"values": ["S"], "price_cents": 2400, "compare_at_price_cents": 3000, "stock": 3},
        ],
    )
    ProductVariant.objects.filter(sku="MUG-M").update(reserved=1)
    (row,) = shop_api.data("/shop/products")
    assert row == shop_api.data(f"/shop/products/{product.pk}") == shop_api.data("/shop/products/mug")
    assert row["category"] == {"id": category.pk, "name": "Ceramics", "slug": "ceramics"}
    assert (row["sku"], row["price_cents"], row["compare_at_price_cents"], row["stock"]) == ("MUG-M", 2400, 3000, 6)
    assert row["url"].endswith("/shop/products/mug")
    assert row["featured_image"] == row["images"][0]
    assert image.file.url.partition("?")[0] in row["images"][0]
    assert row["images"][0].startswith("http")
    assert row["options"] == [{"name": "Size", "values": ["S", "M"]}]
    assert [(each["name"], each["stock"], each["values"]) for each in row["variants"]] == [("M", 3, ["M"]), ("S", 3, ["S"])]


def test_what_is_not_known_is_null(shop_api: Api) -> None:
    make_variant(stock=None)
    (row,) = shop_api.data("/shop/products")
    for name in ("description", "sku", "category", "compare_at_price_cents", "stock", "featured_image"):
        assert row[name] is None
    assert row["images"] == row["options"] == []
    assert row["variants"][0]["name"] is None


@pytest.mark.both_databases
def test_filters(shop_api: Api) -> None:
    ceramics = make_category("Ceramics")
    make_product("Mug", category=ceramics, status="draft")
    make_product("Bowl", category=ceramics, variants=[{"price_cents": 1, "sku": "BW-1"}])
    make_product("Print", status="archived")
    assert slugs(shop_api) == ["bowl"]
    assert slugs(shop_api, status="draft") == ["mug"]
    assert slugs(shop_api, status="archived") == ["print"]
    assert slugs(shop_api, status="all") == ["print", "bowl", "mug"]
    assert slugs(shop_api, category="ceramics", status="all") == ["bowl", "mug"]
    assert slugs(shop_api, category="paper") == []
    assert slugs(shop_api, search="bw bow") == ["bowl"]
    assert slugs(shop_api, search="mug") == []
    assert shop_api.data("/shop/products/mug")["status"] == "draft"


@pytest.mark.parametrize(
    ("sort", "found"),
    [("-created_at", "cab"), ("price_cents", "bac"), ("-price_cents", "cab"), ("name", "abc"), ("-name", "cba")],
)
@pytest.mark.both_databases
def test_sorts(shop_api: Api, sort: str, found: str) -> None:
    for name, price in (("b", 1), ("a", 2), ("c", 3)):
        make_product(name, price=price)
    assert "".join(slugs(shop_api, sort=sort)) == found
    pages = [slugs(shop_api, sort=sort, per_page=1, page=page)[0] for page in (1, 2, 3)]
    assert "".join(pages) == found


@pytest.mark.parametrize("query", [{"status": "sold"}, {"category": "a\0"}, {"category": "a" * 101}, {"sort": "stock"}])
def test_bad_queries_are_refused(shop_api: Api, query: dict[str, str]) -> None:
    assert shop_api.get("/shop/products", **query).status_code == 422


def test_a_token_needs_the_ability(api_on: None) -> None:
    assert Api(make_token("crm:read")).get("/shop/products").status_code == 403
    assert Product.objects.count() == 0
