"""Demo products: one of every kind, the same on a second run."""

import pytest
from django.test import Client

from commerce.shop.demo import load
from commerce.shop.models import Product, ProductCategory, ProductFile, ProductVariant

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    load(1, lambda count: None)
    assert set(Product.objects.values_list("status", flat=True)) == {"draft", "published", "archived"}
    assert set(Product.objects.values_list("kind", flat=True)) == {"physical", "digital"}
    assert ProductFile.objects.count() == 1
    assert ProductCategory.objects.count() == 4
    assert ProductVariant.objects.filter(stock=0).exists()
    assert ProductVariant.objects.filter(compare_at_price_cents__isnull=False).exists()
    published = Product.objects.filter(status="published")
    for product in published:
        assert product.pictures.exists()
    for kind in ("physical", "digital"):
        assert Client().get(f"/shop/products/{published.filter(kind=kind)[0].slug}").status_code == 200
    # Loading again adds nothing.
    before = list(Product.objects.values()), list(ProductVariant.objects.values())
    load(3, lambda count: None)
    assert (list(Product.objects.values()), list(ProductVariant.objects.values())) == before
