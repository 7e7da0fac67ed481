"""Shipping methods: saved by services, and offered for a parcel."""

from typing import Any

import pytest
from django.conf import LazySettings

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from commerce.shop.models import ShippingMethod
from commerce.shop.selectors.selling import offered_shipping
from commerce.shop.services import save_shipping_method, switch_shipping_method
from commerce.shop.types.shipping import Parcel, ShippingKind
from tests import people

from .builders import make_method

pytestmark = pytest.mark.django_db

BRACKETS = [{"up_to": 1000, "price_cents": 500}, {"up_to": None, "price_cents": 900}]
PARCEL = Parcel(weight_grams=1200, value_cents=4000, country="US")


def offered(parcel: Parcel = PARCEL) -> dict[str, int]:
    return {method.name: price for method, price in offered_shipping(parcel)}


@pytest.mark.both_databases
def test_it_works(django_assert_num_queries: Any) -> None:
    make_method("Late", position=2)
    make_method("Heavy", kind=ShippingKind.WEIGHT, brackets=BRACKETS, position=1)
    make_method("Abroad", countries=["IE", "GB", "GB"])
    make_method("Off", enabled=False)
    with django_assert_num_queries(1):
        assert list(offered().items()) == [("Heavy", 900), ("Late", 500)]
    assert set(offered(Parcel(1, 1, "GB"))) == {"Abroad", "Heavy", "Late"}


def test_methods_in_another_currency_are_not_offered(settings: LazySettings) -> None:
    method = make_method()
    settings.SITE_CURRENCY = "eur"
    assert offered() == {}
    save_shipping_method(method=method, values={"price_cents": 600, "free_from_cents": 9000})
    method.refresh_from_db()
    assert (method.currency, method.price_cents, offered()) == ("usd", 600, {})


@pytest.mark.parametrize(
    ("former", "change"),
    [
        ({"price_cents": 0}, {"price_cents": 600}),
        ({"kind": ShippingKind.PICKUP, "price_cents": 0}, {"name": "At the mill"}),
        ({"price_cents": 500}, {"price_cents": 0}),
    ],
)
def test_a_method_without_amounts_follows_the_site(former: Any, change: Any, settings: LazySettings) -> None:
    method = make_method(**former)
    settings.SITE_CURRENCY = "eur"
    save_shipping_method(method=method, values=change)
    assert list(offered().values()) == [change.get("price_cents", 0)]


def test_what_has_no_meaning_is_cleared() -> None:
    method = make_method(kind=ShippingKind.TOTAL, brackets=BRACKETS, countries=["US"])
    assert (method.price_cents, method.brackets, method.countries) == (0, BRACKETS, ["US"])
    save_shipping_method(method=method, values={"kind": ShippingKind.PICKUP, "price_cents": 0})
    method.refresh_from_db()
    assert (method.price_cents, method.brackets, method.countries, method.is_pickup) == (0, [], [], True)


@pytest.mark.both_databases
def test_a_method_is_switched_and_deleted() -> None:
    method, user = make_method(), people.alice()
    assert not switch_shipping_method(method=method, enabled=True)
    assert switch_shipping_method(method=method, enabled=False, user=user)
    assert offered() == {}
    delete_record(record=method, user=user)
    assert not ShippingMethod.objects.exists()


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("name", {"name": " "}),
        ("name", {"name": "x" * 81}),
        ("name", {"name": "a\0b"}),
        ("description", {"description": "x" * 301}),
        ("description", {"description": "\0"}),
        ("kind", {"kind": "pigeon"}),
        ("price_cents", {"price_cents": -1}),
        ("price_cents", {"price_cents": 2**63}),
        ("free_from_cents", {"free_from_cents": -1}),
        ("free_from_cents", {"free_from_cents": 2**63}),
        ("countries", {"countries": ["US", "XX"]}),
        ("tax_class", {"tax_class": "luxury"}),
        ("position", {"position": -1}),
        ("position", {"position": 10_001}),
        ("brackets", {"kind": "weight", "brackets": []}),
        ("brackets", {"kind": "weight", "brackets": [{"up_to": n, "price_cents": 1} for n in range(1, 22)]}),
        ("brackets.0.up_to", {"kind": "weight", "brackets": [{"up_to": 0, "price_cents": 1}]}),
        ("brackets.0.up_to", {"kind": "weight", "brackets": [{"up_to": 10**9 + 1, "price_cents": 1}]}),
        ("brackets.0.up_to", {"kind": "total", "brackets": [{"up_to": 2**63, "price_cents": 1}]}),
        ("brackets.0.up_to", {"kind": "total", "brackets": [{"up_to": None, "price_cents": 1}, {"up_to": 5, "price_cents": 1}]}),
        ("brackets.1.up_to", {"kind": "total", "brackets": [{"up_to": 5, "price_cents": 1}, {"up_to": 5, "price_cents": 1}]}),
        ("brackets.0.price_cents", {"kind": "total", "brackets": [{"up_to": 5, "price_cents": -1}]}),
    ],
)
def test_a_method_that_makes_no_sense_is_refused(path: str, values: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        make_method(**{"name": "Post", **values})
    assert set(refused.value.errors) == {path}
    assert not ShippingMethod.objects.exists()
