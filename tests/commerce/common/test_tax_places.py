"""Where a sale is taxed: what goes to the customer there, and all else where the business is."""

import pytest

from cms_api.flags.services import set_setting
from commerce.common.selectors import rates_for
from commerce.common.types.tax import SENT, Supply, TaxPlace, tax_place

from .conftest import make_rule

LONDON, BERLIN, NOWHERE = TaxPlace("GB"), TaxPlace("DE"), TaxPlace("")
VERMONT, OREGON, AMERICA = TaxPlace("US", "VT"), TaxPlace("US", "OR"), TaxPlace("US")


@pytest.mark.parametrize(
    ("supply", "place"),
    [
        (Supply.DELIVERED, BERLIN),
        (Supply.DIGITAL, BERLIN),
        (Supply.PICKED_UP, LONDON),
        (Supply.AT_TABLE, LONDON),
        (Supply.AT_EVENT, LONDON),
        (Supply.AT_SITE, LONDON),
    ],
)
def test_it_works(supply: Supply, place: TaxPlace) -> None:
    assert tax_place(supply, business=LONDON, customer=BERLIN) == place


@pytest.mark.parametrize("supply", Supply)
@pytest.mark.parametrize("customer", [None, NOWHERE])
def test_an_unknown_customer_is_where_the_business_is(supply: Supply, customer: TaxPlace | None) -> None:
    assert tax_place(supply, business=VERMONT, customer=customer) == VERMONT


@pytest.mark.parametrize("supply", Supply)
def test_regions(supply: Supply) -> None:
    assert tax_place(supply, business=VERMONT, customer=OREGON) == (OREGON if supply in SENT else VERMONT)
    # A business that has not said where it is has the region of those who come to it from the same country.
    assert tax_place(supply, business=AMERICA, customer=OREGON) == OREGON
    assert tax_place(supply, business=AMERICA, customer=BERLIN) == (BERLIN if supply in SENT else AMERICA)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_rates_are_those_of_the_place() -> None:
    make_rule("US", "VT", "6")
    make_rule("US", "OR", "1")
    set_setting(key="taxes.region", value="Vermont")
    assert rates_for(Supply.AT_EVENT, OREGON)["standard"].percent == 6
    assert rates_for(Supply.DELIVERED, OREGON)["standard"].percent == 1
    assert rates_for(Supply.DELIVERED)["standard"].percent == 6
    assert not rates_for(Supply.DIGITAL, BERLIN)
