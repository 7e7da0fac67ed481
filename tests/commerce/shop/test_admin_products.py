"""Products and categories in the admin: the form with its variants, buttons, lists, and those who may not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from commerce.shop.admin.forms import _block_id
from commerce.shop.models import Product, ProductCategory, ProductFile, ProductVariant
from commerce.shop.services import save_product
from tests import people
from tests.builders import make_image

from .builders import make_category, make_product, make_variant, variants

pytestmark = pytest.mark.django_db

LIST, CATEGORIES = "/admin/products/", "/admin/products/categories/"


def rows(name: str, *values: dict[str, Any], ids: list[str] | None = None) -> dict[str, Any]:
    """The fields that a stream of blocks sends."""
    kind = name.removesuffix("s_editor")
    found: dict[str, Any] = {f"{name}-count": str(len(values))}
    for number, value in enumerate(values):
        prefix = f"{name}-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": kind}
        found[f"{prefix}-id"] = ids[number] if ids else ""
        found |= {f"{prefix}-value{key and '-' + key}": each for key, each in value.items()}
    return found


def variant_row(**changes: str) -> dict[str, str]:
    return {
        "values": "",
        "price_cents": "12.50",
        "compare_at_price_cents": "",
        "stock": "",
        "sku": "",
        "weight_grams": "",
    } | changes


def posted(*made: dict[str, Any], **changes: Any) -> dict[str, Any]:
    texts = {"name": "Mug", "slug": "", "summary": "", "description": "", "kind": "physical", "tax_class": "standard"}
    more = {"status": "draft", "category": "", "meta_title": "", "meta_description": "", "stocks_shown": "{}"}
    blocks = rows("variants_editor", *(made or (variant_row(),))) | rows("options_editor") | rows("pictures_editor")
    return {**texts, **more, **blocks, **changes}


def form_of(product: Product) -> dict[str, Any]:
    """The fields that the form of a product with one variant sends, unchanged."""
    (variant,) = variants(product)
    row = variant_row(price_cents="10.00", stock="" if variant.stock is None else str(variant.stock), sku=variant.sku)
    block = rows("variants_editor", row, ids=[_block_id(variant.pk)])
    shown = json.dumps({str(variant.pk): variant.stock})
    return posted(name=product.name, stocks_shown=shown, **block)


def test_it_works(admin_client: Client) -> None:
    image, category = make_image(), make_category()
    values = posted(
        variant_row(values="M / Red", price_cents="26", compare_at_price_cents="30.5", stock="4", sku="A", weight_grams="400"),
        variant_row(values="S / Red"),
        status="published",
        category=str(category.pk),
        description="<p>Thrown</p>",
        **rows("options_editor", {"name": "Size", "values": "S\r\nM\r\n"}, {"name": "Colour", "values": "Red"}),
        **rows("pictures_editor", {"": str(image.pk)}),
        new_files=[SimpleUploadedFile("a.pdf", b"%PDF-"), SimpleUploadedFile("b.pdf", b"%PDF-")],
    )
    answer = admin_client.post(f"{LIST}new/", values)
    product = Product.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{product.pk}/"
    assert (product.status, product.category, product.description) == ("published", category, "<p>Thrown</p>")
    assert [(each.name, each.price_cents, each.compare_at_price_cents, each.stock) for each in variants(product)] == [
        ("M / Red", 2600, 3050, 4),
        ("S / Red", 1250, None, None),
    ]
    assert [file.filename for file in ProductFile.objects.all()] == ["a.pdf", "b.pdf"]
    for page in (LIST, f"{LIST}inspect/{product.pk}/", f"{LIST}edit/{product.pk}/", f"{LIST}copy/{product.pk}/"):
        assert "M / Red" in admin_client.get(page).content.decode() or page == LIST
    assert admin_client.get(f"{LIST}?export=csv").status_code == 200


def test_a_sale_while_the_form_was_open_is_not_lost(admin_client: Client) -> None:
    variant = make_variant(stock=10)
    values = form_of(variant.product)
    ProductVariant.objects.update(stock=7, reserved=2)
    assert admin_client.post(f"{LIST}edit/{variant.product.pk}/", {**values, "name": "Cup"}).status_code == 302
    variant.refresh_from_db()
    assert (variant.product.name, variant.stock, variant.reserved) == ("Cup", 7, 2)
    values["variants_editor-0-value-stock"] = "12"
    admin_client.post(f"{LIST}edit/{variant.product.pk}/", values)
    variant.refresh_from_db()
    assert variant.stock == 9


def test_a_variant_that_the_form_did_not_show_stays(admin_client: Client) -> None:
    variant = make_variant()
    product, values = variant.product, form_of(variant.product)
    sizes = [{"name": "Size", "values": ["S", "M"]}]
    both = [{"id": variant.pk, "values": ["S"]}, {"values": ["M"], "price_cents": 1200}]
    save_product(product=product, values={"options": sizes, "variants": both})
    page = admin_client.post(f"{LIST}edit/{product.pk}/", values).content.decode()
    assert "has been added meanwhile. Reload the page." in page
    values |= rows("options_editor", {"name": "Size", "values": "S"}) | {"variants_editor-0-value-values": "S"}
    assert admin_client.post(f"{LIST}edit/{product.pk}/", values).status_code == 302
    assert [(each.name, each.price_cents) for each in variants(product)] == [("S", 1000), ("M", 1200)]


def test_the_page_sends_what_it_shows(admin_client: Client) -> None:
    variant = make_variant(stock=10, sku="A-1")
    page = admin_client.get(f"{LIST}edit/{variant.product.pk}/").content.decode()
    assert _block_id(variant.pk) in page
    assert "stocks_shown" in page
    assert f"{{&quot;{variant.pk}&quot;: 10}}" in page
    assert 'enctype="multipart/form-data"' in page


def test_missing_variants_are_added(admin_client: Client) -> None:
    options = rows("options_editor", {"name": "Size", "values": "S\nM"}, {"name": "Colour", "values": "Red\nBlue"})
    first = variant_row(values="M / Red", stock="20", weight_grams="200")
    admin_client.post(f"{LIST}new/", posted(first, add_missing="on", **options))
    made = variants(Product.objects.get())
    # Nobody has counted any of them.
    assert [(each.stock, each.weight_grams) for each in made] == [(20, 200), *[(0, 200)] * 3]
    assert [each.name for each in made] == ["M / Red", "S / Red", "S / Blue", "M / Blue"]
    assert {each.price_cents for each in made} == {1250}


def test_a_hundred_variants_are_saved(admin_client: Client) -> None:
    sizes = [str(number) for number in range(100)]
    images = [{"": str(make_image(f"{number}.png").pk)} for number in range(20)]
    blocks = rows("options_editor", {"name": "Size", "values": "\n".join(sizes)}) | rows("pictures_editor", *images)
    admin_client.post(f"{LIST}new/", posted(*(variant_row(values=size) for size in sizes), **blocks))
    assert ProductVariant.objects.count() == 100


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"slug": "2026"}, "not a digit"),
        ({"variants_editor-0-value-price_cents": "1e999999"}, "must be an amount"),
        ({"variants_editor-0-value-compare_at_price_cents": "1"}, "must be higher"),
        ({"variants_editor-0-value-values": "Red"}, "The product has no options"),
        ({"variants_editor-count": "0"}, ""),
        ({"stocks_shown": "x"}, "Reload the page"),
        ({"stocks_shown": '{"1": "x"}'}, "Reload the page"),
        ({"category": "99"}, "Select a valid choice"),
        ({"variants_editor-0-value-sku": "a\0b"}, ""),
    ],
)
def test_refusals_are_shown_at_their_fields(admin_client: Client, changes: dict[str, str], words: str) -> None:
    answer = admin_client.post(f"{LIST}new/", {**posted(), **changes})
    assert answer.status_code == 200
    assert words in answer.content.decode()
    assert not Product.objects.exists()


def test_a_refused_variant_is_shown_in_its_row(admin_client: Client) -> None:
    make_variant(sku="A")
    page = admin_client.post(f"{LIST}new/", posted(variant_row(sku="A"))).content.decode()
    assert "has already been taken" in page
    assert Product.objects.count() == 1


def test_files_that_are_not_ticked_are_deleted(admin_client: Client) -> None:
    product = make_variant().product
    values = form_of(product)
    address = f"{LIST}edit/{product.pk}/"
    admin_client.post(address, {**values, "new_files": [SimpleUploadedFile("a.pdf", b"a"), SimpleUploadedFile("b.pdf", b"b")]})
    first, second = ProductFile.objects.all()
    admin_client.post(address, {**values, "kept_files": [str(second.pk)]})
    assert list(ProductFile.objects.values_list("filename", flat=True)) == ["b.pdf"]
    assert first.pk != second.pk
    assert admin_client.post(address, {**values, "kept_files": ["99"]}).status_code == 200
    assert "empty" in admin_client.post(address, {**values, "new_files": SimpleUploadedFile("c.pdf", b"")}).content.decode()


def test_a_copy_is_a_draft_without_skus(admin_client: Client) -> None:
    product = make_variant(sku="A", stock=5).product
    page = admin_client.get(f"{LIST}copy/{product.pk}/").content.decode()
    assert f"{product.name} (copy)" in page
    assert "&quot;A&quot;" not in page


def test_a_product_in_another_currency_is_written_in_it(admin_client: Client) -> None:
    """The site has had yen. A copy is in its currency now: its prices are typed anew."""
    product = make_product(price=1500)
    Product.objects.update(currency="jpy")
    page = admin_client.get(f"{LIST}edit/{product.pk}/").content.decode()
    assert ("&quot;1500&quot;" in page, "Stays in JPY. For amounts in USD, create a new one." in page) == (True, True)
    assert "&quot;1500&quot;" not in admin_client.get(f"{LIST}copy/{product.pk}/").content.decode()


def test_transitions_and_bulk_actions(admin_client: Client) -> None:
    product = make_product(status="draft")
    steps = {"publish": "published", "unpublish": "draft", "archive": "archived", "restore": "draft"}
    for name, status in steps.items():
        admin_client.post(f"{LIST}{name}/{product.pk}/")
        product.refresh_from_db()
        assert product.status == status
    admin_client.post(f"/admin/bulk/shop/product/publish/?id={product.pk}")
    product.refresh_from_db()
    assert product.is_published
    admin_client.post(f"/admin/bulk/shop/product/delete/?id={product.pk}")
    assert not Product.objects.exists()


@pytest.mark.parametrize(
    ("query", "names"),
    [("status=draft", "b"), ("stock=out", "c"), ("stock=in", "abd"), ("stock=low", "c"), ("stock=uncounted", "d"), ("q=b", "b")],
)
@pytest.mark.both_databases
def test_the_list_is_filtered(admin_client: Client, query: str, names: str) -> None:
    make_product("a")
    make_product("b", status="draft")
    make_product("c", stock=0)
    make_product("d", stock=None)
    page = admin_client.get(f"{LIST}results/?{query}")
    assert "".join(sorted(product.name for product in page.context["object_list"])) == names


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    image = make_image()

    def statements() -> int:
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(LIST).status_code == 200
        return len(caught)

    make_product(sizes="S M", pictures=[image.pk], category=make_category())
    before = statements()
    for _ in range(5):
        make_product(sizes="S M", pictures=[image.pk], category=make_category())
    assert statements() <= before + 1


def test_categories(admin_client: Client) -> None:
    admin_client.post(f"{CATEGORIES}new/", {"name": "Ceramics", "slug": "", "description": "", "position": "0"})
    category = ProductCategory.objects.get()
    make_product(category=category)
    assert "Ceramics" in admin_client.get(CATEGORIES).content.decode()
    admin_client.post(f"{CATEGORIES}delete/{category.pk}/")
    assert not ProductCategory.objects.exists()
    assert Product.objects.get().category is None


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    product = make_product()
    editor = sign_in(people.bob())
    for path in (LIST, f"{LIST}new/", f"{LIST}edit/{product.pk}/", CATEGORIES):
        assert editor.get(path).status_code in {302, 403}
    assert sign_in(people.mallory_manager()).get(LIST).status_code == 200
