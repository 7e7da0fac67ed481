"""Tax rules in the admin: listed, added, changed, deleted, and gone while nothing sells."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from commerce.common.models import TaxRule
from tests import people

from .conftest import make_rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("taxes_on")]

LIST = "/admin/taxes/"


def values(**changes: str) -> dict[str, str]:
    return {"country": "US", "region": "Vermont", "tax_class": "standard", "label": "Sales tax", "percent": "6.25", **changes}


def test_it_works(sign_in: Callable[[Any], Client]) -> None:
    manager = sign_in(people.mallory_manager())
    assert manager.post(f"{LIST}new/", values()).status_code == 302
    rule = TaxRule.objects.get()
    assert (rule.country, rule.region, rule.percent) == ("US", "VT", Decimal("6.25"))
    make_rule("GB", percent="20", label="VAT")
    page = manager.get(LIST).content.decode()
    for words in ("United States", "VT", "6.25%", "United Kingdom", "Whole country", "20%"):
        assert words in page
    assert 'value="6.25"' in manager.get(f"{LIST}edit/{rule.pk}/").content.decode()
    manager.post(f"{LIST}edit/{rule.pk}/", values(percent="7"))
    rule.refresh_from_db()
    assert rule.percent == 7
    manager.post(f"{LIST}delete/{rule.pk}/")
    assert TaxRule.objects.count() == 1
    assert (
        b"".join(manager.get(f"{LIST}?export=csv").streaming_content).decode().splitlines()[1].startswith("GB,,standard,VAT,20")
    )


def test_a_new_rule_begins_with_the_country_of_the_site(admin_client: Client) -> None:
    assert '<option value="US" selected>United States</option>' in admin_client.get(f"{LIST}new/").content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("country", "XX"),
        ("region", "V\0T"),
        ("label", ""),
        ("percent", "ten"),
        ("percent", "9" * 400),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(field: str, value: str, admin_client: Client) -> None:
    make_rule("US", "VT")
    answer = admin_client.post(f"{LIST}new/", values(**{field: value}))
    assert answer.status_code == 200
    assert field in answer.context["form"].errors
    assert TaxRule.objects.count() == 1


@pytest.mark.both_databases
def test_filters(admin_client: Client) -> None:
    make_rule("US", "VT")
    make_rule("GB")
    assert "Whole country" not in admin_client.get(f"{LIST}?country=US").content.decode()
    for query in ("?country=%00", "?country=XX", "?tax_class=x", "?q=%00"):
        assert admin_client.get(LIST + query).status_code == 200


def test_editors_and_shops_without_sales_have_none(sign_in: Callable[[Any], Client]) -> None:
    assert sign_in(people.bob()).get(LIST).status_code == 302
    switch_feature(name="shop", on=False)
    assert sign_in(people.alice()).get(LIST).status_code == 404
