"""Public holidays by country and region, from the calendars of the holidays library."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, lru_cache

from cms_api.text.addresses import countries as country_names

# The library is imported where it is used: processes that never need a holiday do without it.


def holidays_between(country: str, region: str, first: date, last: date) -> frozenset[date]:
    """Return the public holidays of a country from one day to another, both included, with the days on which they are observed.

    `country` is one of `countries`, and `region` one of its `regions`, or empty for the holidays of the whole country. A country
    or region that is not known has none.
    """
    if country not in countries() or (region and region not in regions(country)):
        return frozenset()
    found = frozenset[date]().union(*(_holidays(country, region, year) for year in range(first.year, last.year + 1)))
    return frozenset(day for day in found if first <= day <= last)


@cache
def countries() -> Mapping[str, str]:
    """Return the names of the countries whose holidays are known, by ISO code, sorted by name."""
    from holidays import list_supported_countries

    known = list_supported_countries(include_aliases=False)
    return {code: name for code, name in country_names().items() if code in known}


def regions(country: str) -> Sequence[str]:
    """Return the codes of a country's regions that have holidays of their own: `BY` of DE, or `CA` of US."""
    from holidays import list_supported_countries

    return tuple(list_supported_countries(include_aliases=False).get(country, ()))


@lru_cache(maxsize=1024)
def _holidays(country: str, region: str, year: int) -> frozenset[date]:
    from holidays import country_holidays

    return frozenset(country_holidays(country, subdiv=region or None, years=year, observed=True))
