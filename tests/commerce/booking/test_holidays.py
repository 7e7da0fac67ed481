"""Public holidays: by country, by region, and as they are observed."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from commerce.common.types.holidays import countries, holidays_between, regions

ROOT = Path(__file__).resolve().parents[3]


def year(country: str, region: str = "", number: int = 2026) -> frozenset[date]:
    return holidays_between(country, region, date(number, 1, 1), date(number, 12, 31))


def test_it_works() -> None:
    assert date(2026, 10, 3) in year("DE")
    assert date(2026, 10, 2) not in year("DE")


def test_regions_have_holidays_of_their_own() -> None:
    epiphany = date(2026, 1, 6)
    assert [epiphany in year("DE", region) for region in ("BY", "BE", "")] == [True, False, False]
    assert date(2026, 10, 3) in year("DE", "BY")


def test_observed_days_count() -> None:
    assert {date(2026, 7, 3), date(2026, 7, 4)} <= year("US")


def test_a_day_observed_in_the_year_before() -> None:
    """The first of January 2022 was a Saturday."""
    assert holidays_between("US", "", date(2021, 12, 30), date(2021, 12, 31)) == {date(2021, 12, 31)}


def test_both_ends_are_included() -> None:
    assert holidays_between("DE", "", date(2026, 12, 25), date(2027, 1, 1)) == {
        date(2026, 12, 25),
        date(2026, 12, 26),
        date(2027, 1, 1),
    }
    assert holidays_between("DE", "", date(2026, 12, 26), date(2026, 12, 25)) == frozenset()


@pytest.mark.parametrize(
    ("country", "region"),
    [
        ("XX", ""),
        ("", ""),
        ("de", ""),
        ("HolidayBase", ""),
        ("D\0", ""),
        ("DE", "XX"),
        ("DE", "by"),
        ("DE", "CA"),
    ],
)
def test_unknown_ones_have_none(country: str, region: str) -> None:
    assert year(country, region) == frozenset()


@pytest.mark.parametrize("number", [1, 1800, 9999])
def test_years_without_data_are_no_error(number: int) -> None:
    assert all(day.year == number for day in year("DE", number=number))


def test_countries_and_regions_for_a_select() -> None:
    assert (countries()["DE"], countries()["US"]) == ("Germany", "United States")
    assert list(countries().values()) == sorted(countries().values())
    assert len(countries()) > 200
    assert {"BY", "BE"} <= set(regions("DE"))
    assert regions("XX") == ()


def test_the_library_is_only_loaded_where_it_is_needed() -> None:
    program = "import sys; import commerce.common.types.holidays; sys.exit('holidays' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
