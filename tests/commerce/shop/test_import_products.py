"""Products from a CSV file: rows with the same handle are variants, and a second import changes nothing twice."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.shop.models import Product, ProductCategory, ProductVariant
from commerce.shop.services.importing import match, read, write

from .builders import make_product, variants

pytestmark = pytest.mark.django_db


def imported(*rows: dict[str, str]) -> list[str]:
    return [str(outcome) for outcome in write([read(row, {}) for row in rows], {})]


MUG_S = {
    "handle": "mug",
    "name": "Mug",
    "description": "Thrown & glazed\nhere",
    "category": "Ceramics",
    "status": "active",
    "sku": "MUG-S",
    "price": "24.00",
    "compare_at_price": "30",
    "stock": "7",
    "option1_name": "Size",
    "option1_value": "S",
}
MUG_M = {"handle": "mug", "sku": "MUG-M", "price": "26", "stock": "", "option1_value": "M"}


@pytest.mark.both_databases
def test_it_works() -> None:
    assert imported(MUG_S, MUG_M, {"name": "Bowl", "price": "5"}) == ["created"] * 3
    mug = Product.objects.get(slug="mug")
    assert (mug.name, mug.status, mug.price_cents) == ("Mug", "published", 2400)
    assert mug.description == "<p>Thrown &amp; glazed</p><p>here</p>"
    assert mug.category is not None
    assert mug.category.name == "Ceramics"
    assert mug.options == [{"name": "Size", "values": ["S", "M"]}]
    assert [(each.name, each.sku, each.stock) for each in variants(mug)] == [("S", "MUG-S", 7), ("M", "MUG-M", None)]
    assert Product.objects.get(slug="bowl").status == "draft"


def test_numbers_are_read_as_the_country_writes_them() -> None:
    set_setting(key="site.country", value="DE")
    assert imported({"name": "Loom", "price": "1.500,00", "compare_at_price": "1999.00", "stock": "1.000"}) == ["created"]
    loom = ProductVariant.objects.get()
    assert (loom.price_cents, loom.compare_at_price_cents, loom.stock) == (150_000, 199_900, 1000)
    for price in ("1.5", "1e3", "1_000", "1000000000"):
        with pytest.raises(Invalid) as refusal:
            read({"name": "Loom", "price": price}, {})
        assert list(refusal.value.errors) == ["price"]


@pytest.mark.both_databases
def test_a_second_import_changes_only_what_differs() -> None:
    imported(MUG_S, MUG_M)
    ids = set(ProductVariant.objects.values_list("pk", flat=True))
    assert imported({**MUG_S, "name": "Cup", "price": "20"}, MUG_M) == ["updated", "unchanged"]
    assert set(ProductVariant.objects.values_list("pk", flat=True)) == ids
    mug = Product.objects.get()
    assert (mug.name, mug.price_cents) == ("Mug", 2000)
    assert imported({**MUG_M, "sku": "MUG-L", "option1_value": "L"}) == ["created"]
    assert [each.name for each in variants(mug)] == ["S", "M", "L"]
    assert ProductCategory.objects.count() == 1


def test_a_product_without_options_as_shopify_writes_it() -> None:
    row = {"name": "Print", "price": "10", "option1_name": "Title", "option1_value": "Default Title"}
    assert imported(row) == ["created"]
    assert imported(row) == ["unchanged"]
    assert Product.objects.get().options == []


@pytest.mark.parametrize(
    "change",
    [
        {"price": "cheap"},
        {"price": "1e999999"},
        {"price": "-5"},
        {"price": ""},
        {"stock": "many"},
        {"stock": "-1"},
        {"stock": "9" * 30},
        {"status": "sold"},
        {"handle": "2026"},
        {"handle": "a b"},
        {"name": "", "handle": ""},
        {"name": ""},
        {"name": "a" * 201},
        {"name": "a\0b"},
        {"sku": "a" * 65},
        {"option1_value": "S / M"},
        {"category": "a" * 101},
    ],
)
def test_refusals(change: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        imported({**MUG_S, **change})
    assert not Product.objects.exists()


def test_prices_of_a_product_in_another_currency_are_refused() -> None:
    product = make_product("Mug", price=1500)
    Product.objects.update(currency="jpy")
    with pytest.raises(Invalid, match="are in JPY"):
        imported({"handle": product.slug, "price": "15.00"})
    assert imported({"handle": product.slug, "stock": "3"}) == ["updated"]
    assert [(each.price_cents, each.stock) for each in variants(product)] == [(1500, 3)]


def test_a_variant_without_the_options_of_its_product_is_refused() -> None:
    product = make_product("Mug", sizes="S M")
    with pytest.raises(Invalid, match="options"):
        imported({"handle": product.slug, "price": "1"})


@pytest.mark.both_databases
def test_only_a_handle_or_a_sku_leads_to_a_product() -> None:
    make_product("Mug", price=1500)
    mug = {"name": "Mug", "price": "24", "description": "From <b>Denver</b>"}
    assert imported(mug, {**mug, "price": "26"}, mug) == ["created", "created", "unchanged"]
    assert sorted(Product.objects.filter(name="Mug").values_list("price_cents", flat=True)) == [1500, 2400, 2600]
    assert imported({"name": "Cup", "sku": "CUP", "price": "5"}, {"sku": "CUP", "stock": "4"}) == ["created", "updated"]
    assert imported({"sku": "CUP", "price": "6"}) == ["updated"]
    assert [(each.price_cents, each.stock) for each in ProductVariant.objects.filter(sku="CUP")] == [(600, 4)]
    with pytest.raises(Invalid, match="handle"):
        imported({"name": "Bowl", "price": "5", "option1_name": "Size", "option1_value": "S"})


def test_the_preview_has_what_each_row_would_change() -> None:
    imported(MUG_S)
    rows = [{"sku": "MUG-S", "price": "20", "option1_value": "S"}, MUG_S, {"name": "Mug", "price": "24"}]
    update, same, new = match([read(row, {}) for row in rows], {})
    assert (update and update.changes, same and same.changes, new) == ({"price_cents": ("2400", "2000")}, {}, None)
