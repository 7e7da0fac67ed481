"""The email about products of which few are left."""

from typing import Any

import pytest

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.shop.admin.cards import low_stock
from commerce.shop.models import ProductVariant
from commerce.shop.services.ending import refund_order
from tests import people

from .builders import make_order, make_paid_order, make_product, make_variant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def business(shop: None, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "shop@example.com"


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="low_stock"))


@pytest.mark.both_databases
def test_it_works() -> None:
    variant = make_variant(stock=5, product={"name": "Mug"})
    make_paid_order((variant, 1))
    assert mails() == []
    make_paid_order((variant, 1))
    (mail,) = mails()
    assert (mail.recipient, mail.subject) == ("shop@example.com", "Low stock: Mug")
    assert f"/admin/products/edit/{variant.product_id}/" in mail.text
    # Once is enough.
    make_paid_order((variant, 1))
    assert len(mails()) == 1


def test_it_is_sent_again_after_the_stock_was_filled_up() -> None:
    variant = make_variant(stock=4)
    first = make_paid_order((variant, 1))
    refund_order(order=first, restock=True)
    assert not ProductVariant.objects.get().is_low
    make_paid_order((variant, 1))
    assert len(mails()) == 2


@pytest.mark.both_databases
def test_what_is_not_sold_or_not_counted() -> None:
    make_order((make_variant(stock=4), 2))
    make_paid_order((make_variant(stock=None), 2))
    assert mails() == []


def test_without_an_address_of_the_business_nothing_is_sent(settings: Any) -> None:
    settings.BUSINESS_EMAIL = ""
    make_paid_order((make_variant(stock=1), 1))
    assert mails() == []


def test_the_number_is_a_setting() -> None:
    set_setting(key="shop.low_stock", value=0)
    variant = make_variant(stock=2)
    make_paid_order((variant, 1))
    assert mails() == []
    make_paid_order((variant, 1))
    assert len(mails()) == 1


@pytest.mark.both_databases
def test_the_home_of_the_admin_counts_products() -> None:
    make_product(sizes="S M", stock=1)
    make_product(stock=0)
    make_product(stock=4)
    make_product(stock=0, status="draft")
    assert low_stock(people.request_by(people.alice())).count == 2
