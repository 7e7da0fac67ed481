"""Products are saved with their variants, options and pictures at once, or not at all."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.core.versions import tag_versions
from cms_api.text.search import matching
from commerce.shop.models import Product, ProductVariant
from commerce.shop.services import (
    archive_product,
    delete_category,
    delete_product,
    publish_product,
    save_category,
    save_product,
    unpublish_product,
)
from tests.builders import make_image

from .builders import make_category, make_product, make_variant, resent, variants

pytestmark = pytest.mark.django_db

SIZES = {"name": "Size", "values": ["S", "M"]}


def refused(product: Product | None = None, **values: Any) -> dict[str, list[str]]:
    given = {"name": "Mug", "variants": [{"price_cents": 1000}]} if product is None else {}
    with pytest.raises(Invalid) as refusal:
        save_product(values={**given, **values}, product=product)
    return refusal.value.errors


@pytest.mark.both_databases
def test_it_works(settings: Any) -> None:
    settings.SITE_CURRENCY = "gbp"
    image, category = make_image(), make_category("Ceramics")
    product = save_product(
        values={
            "name": "Stoneware mug",
            "description": "<p>Thrown <script>here</script></p>",
            "category": category,
            "options": [SIZES],
            "variants": [
                {"values": ["M"], "price_cents": 2600, "sku": "MUG-M", "stock": 4, "weight_grams": 400},
                {"values": ["S"], "price_cents": 2400, "compare_at_price_cents": 3000},
            ],
            "pictures": [image.pk],
        }
    )
    product.refresh_from_db()
    assert (product.slug, product.status, product.currency) == ("stoneware-mug", "draft", "gbp")
    assert product.description == "<p>Thrown </p>"
    assert (product.price_cents, product.compare_at_price_cents) == (2400, 3000)
    assert [(each.name, each.sku, each.stock, each.available) for each in variants(product)] == [
        ("M", "MUG-M", 4, 4),
        ("S", "", None, None),
    ]
    assert [picture.media_id for picture in product.pictures.all()] == [image.pk]
    assert list(matching(Product.objects.all(), "mug-m stone")) == [product]


@pytest.mark.both_databases
def test_slugs_are_free_and_no_numbers() -> None:
    assert [make_product("Mug").slug for _ in range(3)] == ["mug", "mug-2", "mug-3"]
    assert make_product("2026").slug == "product-2026"
    assert make_product("!!!").slug == "product"
    assert "taken" in refused(slug="mug")["slug"][0]
    assert "digit" in refused(slug="2026")["slug"][0]
    assert refused(slug="Mug Blue").keys() == {"slug"}
    mug = Product.objects.get(slug="mug")
    assert refused(mug, slug="mug-2").keys() == {"slug"}
    assert save_product(product=mug, values={"slug": "cup"}).slug == "cup"
    assert save_product(product=mug, values={"name": "Bowl", "slug": ""}).slug == "cup"


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": " "}, "name"),
        ({"name": "a" * 201}, "name"),
        ({"name": "a\0b"}, "name"),
        ({"name": None}, "name"),
        ({"summary": "a\nb"}, "summary"),
        ({"meta_title": "a" * 201}, "meta_title"),
        ({"description": "a" * 100_001}, "description"),
        ({"description": 7}, "description"),
        ({"status": "sold"}, "status"),
        ({"kind": ""}, "kind"),
        ({"tax_class": None}, "tax_class"),
        ({"pictures": [99]}, "pictures.0"),
        ({"files": [99]}, "files.0"),
        ({"variants": []}, "variants"),
        ({"variants": None}, "variants"),
        ({"variants": ["x"]}, "variants.0"),
        ({"variants": [{}]}, "variants.0.price_cents"),
        ({"variants": [{"price_cents": -1}]}, "variants.0.price_cents"),
        ({"variants": [{"price_cents": "12"}]}, "variants.0.price_cents"),
        ({"variants": [{"price_cents": 10, "compare_at_price_cents": 10}]}, "variants.0.compare_at_price_cents"),
        ({"variants": [{"price_cents": 10, "stock": -1}]}, "variants.0.stock"),
        ({"variants": [{"price_cents": 10, "stock": 10**9 + 1}]}, "variants.0.stock"),
        ({"variants": [{"price_cents": 10, "weight_grams": -1}]}, "variants.0.weight_grams"),
        ({"variants": [{"price_cents": 10, "sku": "a" * 65}]}, "variants.0.sku"),
        ({"variants": [{"price_cents": 10, "values": ["S"]}]}, "variants.0.values"),
        ({"variants": [{"price_cents": 10, "id": 99}]}, "variants.0"),
        ({"variants": [{"price_cents": 10}, {"price_cents": 10}]}, "variants.1.values"),
        ({"options": [SIZES]}, "variants.0.values"),
        ({"options": [{"name": "", "values": ["S"]}]}, "options.0.name"),
        ({"options": [{"name": "Size", "values": []}]}, "options.0.values"),
        ({"options": [{"name": "Size", "values": ["S", "s"]}]}, "options.0.values"),
        ({"options": [{"name": "Size", "values": ["S / M"]}]}, "options.0.values"),
        ({"options": [SIZES, {"name": "size", "values": ["1"]}]}, "options.1.name"),
        ({"options": [SIZES] * 4}, "options"),
        ({"options": [SIZES], "variants": [{"price_cents": 1, "values": ["L"]}]}, "variants.0.values"),
        ({"variants": [{"price_cents": 1}] * 101}, "variants"),
    ],
)
def test_refusals(values: dict[str, Any], path: str) -> None:
    assert path in refused(**values)
    assert not Product.objects.exists()


@pytest.mark.both_databases
def test_skus_are_unique() -> None:
    make_variant(sku="A")
    assert "variants.0.sku" in refused(variants=[{"price_cents": 1, "sku": "A"}])
    two = [{"values": ["S"], "price_cents": 1, "sku": "B"}, {"values": ["M"], "price_cents": 1, "sku": "B"}]
    assert "variants.1.sku" in refused(options=[SIZES], variants=two)


def test_variants_are_matched_by_id() -> None:
    product = make_product(sizes="S M")
    small, medium = resent(product)
    small, medium = {**small, "values": ["M"], "sku": "X"}, {**medium, "values": ["S"], "sku": "Y"}
    save_product(product=product, values={"variants": [medium, small]})
    assert [(each.pk, each.name, each.sku) for each in variants(product)] == [(medium["id"], "S", "Y"), (small["id"], "M", "X")]
    save_product(product=product, values={"variants": [{**medium, "sku": "X"}, {**small, "sku": "Y"}]})
    save_product(product=product, values={"variants": [small]})
    assert [each.pk for each in variants(product)] == [small["id"]]
    assert "variants.1" in refused(product, variants=[small, small])


def test_variants_that_were_added_meanwhile_stay() -> None:
    product = make_product(sizes="S M")
    form = resent(product)
    shown = [row["id"] for row in form]
    save_product(
        product=product,
        values={
            "options": [{"name": "Size", "values": ["S", "M", "L"]}],
            "variants": [*form, {"values": ["L"], "price_cents": 1200, "sku": "L-1"}],
        },
    )
    # Somebody else removes S in a form without L, also from the sizes.
    stale = {"options": [{"name": "Size", "values": ["M"]}], "variants": form[1:], "variants_shown": shown}
    saved = save_product(product=product, values=stale)
    assert [(each.name, each.sku, each.price_cents) for each in variants(product)] == [("M", "", 1000), ("L", "L-1", 1200)]
    assert saved.options == [{"name": "Size", "values": ["M", "L"]}]
    for taken in ({"values": ["L"], "price_cents": 1}, {"values": ["M"], "price_cents": 1, "sku": "L-1"}):
        found = refused(product, variants=[taken], variants_shown=shown)
        assert found["variants"] == ["The variant “L” has been added meanwhile. Reload the page."]
    assert "variants" in refused(product, options=[], variants=[{**form[1], "values": []}], variants_shown=shown)
    assert len(variants(product)) == 2


def test_options_and_variants_agree_on_a_change() -> None:
    product = make_product(sizes="S M")
    assert "variants.0.values" in refused(product, options=[])
    assert "variants.1.values" in refused(product, options=[{"name": "Size", "values": ["S", "L"]}])
    save_product(product=product, values={"options": [{"name": "Width", "values": ["S", "M", "L"]}]})
    assert product.slug


def test_a_price_is_that_of_the_cheapest_variant() -> None:
    product = make_product(sizes="S M")
    small, medium = resent(product)
    saved = save_product(product=product, values={"variants": [small, {**medium, "price_cents": 500}]})
    assert saved.price_cents == 500


def test_a_sale_meanwhile_is_not_lost() -> None:
    variant = make_variant(stock=10)
    form = resent(variant.product)
    ProductVariant.objects.filter(pk=variant.pk).update(stock=7, reserved=2)
    save_product(product=variant.product, values={"name": "New name", "variants": form})
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved) == (7, 2)
    save_product(product=variant.product, values={"variants": [{**form[0], "stock": 15}]})
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved) == (12, 2)
    assert "variants.0.stock" in refused(variant.product, variants=[{**form[0], "stock": 0, "stock_shown": 13}])
    save_product(product=variant.product, values={"variants": [{**form[0], "stock": None}]})
    variant.refresh_from_db()
    assert variant.stock is None
    save_product(product=variant.product, values={"variants": [{**form[0], "stock": 3}]})
    variant.refresh_from_db()
    assert variant.stock == 3
    assert "variants.0.stock" in refused(variant.product, variants=[{"id": variant.pk, "stock": 1}])


def test_a_low_stock_is_notified_again_after_more_arrived() -> None:
    variant = make_variant(stock=1)
    ProductVariant.objects.update(is_low=True)
    save_product(product=variant.product, values={"variants": [{"id": variant.pk, "stock": 3}]})
    assert ProductVariant.objects.get().is_low
    save_product(product=variant.product, values={"variants": [{"id": variant.pk, "stock": 4}]})
    assert not ProductVariant.objects.get().is_low


def test_nothing_is_half_written() -> None:
    product, other = make_product(sizes="S M"), make_variant(sku="A")
    small, medium = resent(product)
    refused(product, name="Else", variants=[{**small, "price_cents": 1}, {**medium, "sku": other.sku}])
    refused(product, variants=[{**small, "price_cents": 1}, {**medium, "stock": 10**9, "stock_shown": 1.5}])
    product.refresh_from_db()
    assert product.name != "Else"
    assert [each.price_cents for each in variants(product)] == [1000, 1000]


def test_a_deleted_product_is_refused() -> None:
    product = make_product()
    delete_product(product=Product.objects.get())
    assert not Product.objects.exists()
    assert not matching(Product.objects.all(), product.name).exists()
    product.pk = product.pk or 1
    assert "name" in refused(product, name="Else")
    delete_product(product=product)


def test_transitions() -> None:
    product = make_product(status="draft")
    assert product.published_at is None
    assert [publish_product(product=product), publish_product(product=product)] == [True, False]
    first = Product.objects.get().published_at
    assert first is not None
    assert archive_product(product=product)
    assert unpublish_product(product=product)
    assert publish_product(product=product)
    assert Product.objects.get().published_at == first


def test_every_change_invalidates_the_product() -> None:
    product = make_product()
    tag = f"product:{product.pk}"
    seen = [tag_versions([tag])]
    for change in (
        lambda: save_product(product=product, values={"name": "Else"}),
        lambda: archive_product(product=product),
        lambda: publish_product(product=product),
        lambda: delete_product(product=product),
    ):
        change()
        seen.append(tag_versions([tag]))
    assert len({tuple(each.items()) for each in seen}) == len(seen)


@pytest.mark.both_databases
def test_categories() -> None:
    category = make_category("Ceramics")
    product = make_product(category=category)
    assert make_category("Ceramics").slug == "ceramics-2"
    assert make_category("1").slug == "category-1"
    with pytest.raises(Invalid, match="taken"):
        save_category(category=category, values={"slug": "ceramics-2"})
    with pytest.raises(Invalid, match="name"):
        save_category(values={"name": ""})
    delete_category(category=category)
    product.refresh_from_db()
    assert product.category is None
    assert refused(category=category).keys() == {"category"}
