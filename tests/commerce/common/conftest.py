"""Tests of taxes have a module switched on that sells."""

from decimal import Decimal
from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from commerce.common.models import TaxRule
from commerce.common.services import save_tax_rule


@pytest.fixture
def taxes_on(db: None) -> None:
    switch_feature(name="shop", on=True)


def make_rule(country: str = "US", region: str = "", percent: str = "6", **values: Any) -> TaxRule:
    given = {"country": country, "region": region, "label": "Sales tax", "percent": Decimal(percent)}
    return save_tax_rule(values={**given, **values})
