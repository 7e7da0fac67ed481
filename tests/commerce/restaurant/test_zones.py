"""Delivery zones cover whole parts of postal codes, by the country of the address."""

import pytest

from cms_api.flags.services import set_setting
from commerce.restaurant.selectors.hours import zone_of

from .builders import make_zone

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    set_setting(key="site.country", value="GB")
    zone = make_zone(postal_codes="nw1*, e1 6*,  94103")
    assert zone.postal_codes == "NW1*, E1 6*, 94103"
    assert zone_of("NW1 6XE") == zone_of("nw16xe") == zone_of("NW1") == zone_of("E1 6AN") == zone
    assert zone_of("94103-1234", "US") == zone
    for code in ("NW10 6AB", "E16 1AA", "E17 4QJ", "E1 7AA", ""):
        assert zone_of(code) is None


@pytest.mark.both_databases
def test_codes_from_any_keyboard() -> None:
    """Staff and customers type full-width digits, other dashes, and the commas of their keyboards."""
    set_setting(key="site.country", value="JP")
    zone = make_zone(postal_codes="１００－０００１、１０１＊，102ー0001\n103\N{EN DASH}0001；104")
    assert zone.postal_codes == "100-0001, 101*, 102-0001, 103-0001, 104"
    for code in ("1000001", "１００ー０００１", "101\N{MINUS SIGN}0021", "１０２０００１", "103-0001", "104-0061"):
        assert zone_of(code) == zone
    assert zone_of("１０５ー０００１") is None


def test_a_beginning_of_digits_covers_all_codes_that_begin_so() -> None:
    set_setting(key="site.country", value="DE")
    zone = make_zone(postal_codes="10*")
    assert zone_of("10115") == zone
    assert zone_of("11011") is None
