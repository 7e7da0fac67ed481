"""Products saved by several people at once, while customers buy."""

import threading

import pytest
from django.db.models import F

from cms_api.core.errors import Invalid
from commerce.shop.models import Product, ProductVariant
from commerce.shop.services import save_product
from tests.client import together

from .builders import make_product, make_variant, resent

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_works() -> None:
    """Of twenty at once, half add a piece in the form, which showed 100, and half sell or reserve one."""
    variant = make_variant(stock=100)
    (row,) = resent(variant.product)

    def work(number: int) -> None:
        if number % 2:
            save_product(product=variant.product, values={"name": f"Mug {number}", "variants": [{**row, "stock": 101}]})
        elif number % 4:
            ProductVariant.objects.filter(pk=variant.pk).update(reserved=F("reserved") + 1)
        else:
            ProductVariant.objects.filter(pk=variant.pk).update(stock=F("stock") - 1)

    together(work, 20)
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved) == (100 + 10 - 5, 5)


def test_control_writing_the_whole_row_loses_sales() -> None:
    """The same callers without the service's care: what was sold in between is forgotten."""
    variant = make_variant(stock=100)
    looked = threading.Barrier(10)

    def work(number: int) -> None:
        read = ProductVariant.objects.get(pk=variant.pk)
        looked.wait(20)
        assert read.stock is not None
        read.stock -= 1
        read.save()

    together(work, 10)
    variant.refresh_from_db()
    assert variant.stock is not None
    assert variant.stock > 90


def test_ten_of_the_same_name_have_ten_slugs() -> None:
    together(lambda number: make_product("Mug").pk, 10)
    assert len(set(Product.objects.values_list("slug", flat=True))) == 10


def test_one_of_ten_gets_a_sku() -> None:
    def work(number: int) -> bool:
        try:
            make_variant(sku="MUG-1")
        except Invalid:
            return False
        return True

    assert sum(together(work, 10)) == 1
    assert Product.objects.count() == 1
