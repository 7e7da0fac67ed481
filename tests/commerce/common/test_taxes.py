"""Tax rules: saved by services, and found by the place that something is sold to."""

from decimal import Decimal
from typing import Any

import pytest
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from commerce.common.demo import load
from commerce.common.models import TaxRule
from commerce.common.selectors import tax_rates, taxed_countries
from commerce.common.services import save_tax_rule
from commerce.common.types.tax import TaxClass, TaxRate
from tests import people
from tests.client import together

from .conftest import make_rule

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    user = people.alice()
    rule = save_tax_rule(values={"country": "GB", "label": " VAT ", "percent": Decimal("20.0")}, user=user)
    save_tax_rule(rule=rule, values={"percent": Decimal("17.5")}, user=user)
    assert tax_rates("GB") == {"standard": TaxRate("VAT", Decimal("17.5"))}
    delete_record(record=rule, user=user)
    assert not tax_rates("GB")
    logged = ModelLogEntry.objects.filter(user=user).order_by("pk").values_list("action", flat=True)
    assert list(logged) == ["wagtail.create", "wagtail.edit", "wagtail.delete"]


@pytest.mark.parametrize(
    ("place", "rates"),
    [
        (("US", "VT"), {"standard": "6", "reduced": "1"}),
        (("US", " vt "), {"standard": "6", "reduced": "1"}),
        (("US", "Vermont"), {"standard": "6", "reduced": "1"}),
        (("US", "NY"), {"standard": "2", "reduced": "1"}),
        (("US", ""), {"standard": "2", "reduced": "1"}),
        (("US", "\0" * 500), {"standard": "2", "reduced": "1"}),
        (("CA", "VT"), {}),
        (("", ""), {}),
        (("XX", "VT"), {}),
    ],
)
def test_a_region_comes_before_its_country(place: tuple[str, str], rates: dict[str, str], django_assert_num_queries: Any) -> None:
    make_rule("US", "Vermont", "6")
    make_rule("US", "", "2")
    make_rule("US", "", "1", tax_class=TaxClass.REDUCED)
    with django_assert_num_queries(1):
        found = tax_rates(*place)
    assert {tax_class: f"{rate.percent.normalize():f}" for tax_class, rate in found.items()} == rates


def test_a_region_is_stored_as_addresses_have_it() -> None:
    assert make_rule("US", "california").region == "CA"
    assert make_rule("GB", "Kent").region == "Kent"
    assert tax_rates("GB", "KENT")["standard"].label == "Sales tax"
    assert taxed_countries() == ["GB", "US"]


@pytest.mark.parametrize(
    "changes",
    [
        {"country": ""},
        {"country": "United States"},
        {"country": "us"},
        {"region": "x" * 101},
        {"region": "V\0T"},
        {"tax_class": "luxury"},
        {"label": " "},
        {"label": "x" * 41},
        {"label": "V\0T"},
        {"percent": Decimal(-1)},
        {"percent": Decimal("100.0001")},
        {"percent": Decimal("1.00001")},
        {"percent": Decimal("1e-999")},
        {"percent": Decimal("nan")},
        {"percent": Decimal("inf")},
        {"percent": 19.0},
        {"percent": "19"},
        {"percent": None},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        save_tax_rule(values={"country": "US", "label": "Sales tax", "percent": Decimal(6), **changes})
    assert set(refused.value.errors) == set(changes)
    assert not TaxRule.objects.exists()


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        save_tax_rule(values={})
    assert set(refused.value.errors) == {"country", "label"}


def test_a_place_has_one_rule_of_a_class() -> None:
    rule = make_rule("GB", "Kent")
    for region in ("Kent", "KENT", " kent "):
        with pytest.raises(Invalid, match="rule for this place"):
            make_rule("GB", region)
    other = make_rule("GB", "Kent", tax_class=TaxClass.REDUCED)
    with pytest.raises(Invalid, match="rule for this place"):
        save_tax_rule(rule=other, values={"tax_class": TaxClass.STANDARD})
    assert save_tax_rule(rule=rule, values={"label": "VAT"}).label == "VAT"


@pytest.mark.django_db(transaction=True)
def test_ten_equal_rules_at_once_are_one() -> None:
    def save(number: int) -> bool:
        try:
            return bool(make_rule("GB", "kent" if number % 2 else "Kent"))
        except Invalid:
            return False

    assert sum(together(save, 10)) == TaxRule.objects.count() == 1


@pytest.mark.both_databases
def test_the_demo_is_loaded_once() -> None:
    load(1, lambda count: None)
    before = list(TaxRule.objects.values())
    load(1, lambda count: None)
    assert list(TaxRule.objects.values()) == before
    assert tax_rates("US", "New York")["standard"].percent == Decimal("8.875")
