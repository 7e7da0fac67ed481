"""The search of a visitor, as the query string of its page has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict
from django.urls import reverse

from cms_api.flags.selectors import site_formats
from cms_api.text.currencies import exponent

from ..selectors.listings import locate
from ..types.areas import area_text, read_area
from ..types.searches import SORTS, SearchFilter, read_filter, stored_filter

DEFAULT_SORT = "newest"
NOTHING = SearchFilter()
#: The parameters of a search, besides that of its area, and the filters that they set.
PARAMETERS: Mapping[str, str] = {
    "q": "search",
    "type": "property_type",
    "min_price": "min_price",
    "max_price": "max_price",
    "beds": "min_beds",
    "baths": "min_baths",
    "status": "status",
    "box": "box",
}


@dataclass(frozen=True)
class Criteria:
    """A visitor's search; values that make no sense are left out."""

    wanted: SearchFilter = NOTHING
    sort: str = DEFAULT_SORT

    @property
    def area(self) -> str:
        return area_text(self.wanted)

    @property
    def query(self) -> str:
        """Return the query string, without the number of the page."""
        stored = stored_filter(self.wanted)
        values = {"q": stored.get("search"), "area": self.area}
        values |= {parameter: stored.get(name) for parameter, name in PARAMETERS.items() if parameter != "q"}
        values["sort"] = self.sort if self.sort != DEFAULT_SORT else ""
        return urlencode({name: value for name, value in values.items() if value}, safe=",")

    @property
    def path(self) -> str:
        """Return the path of the search's first page."""
        query = self.query
        return reverse("real_estate") + (f"?{query}" if query else "")

    def without(self, *names: str) -> "Criteria":
        """Return the search without some of its filters."""
        return replace(self, wanted=replace(self.wanted, **dict.fromkeys(names)))

    def in_city(self, city: str) -> "Criteria":
        """Return the search in a city, in place of its area."""
        return replace(self, wanted=replace(self.wanted, city=city, state=None, postal_code=None))


def _whole_price(text: str) -> str:
    """Return the whole units of a price as visitors type it: "250.000" is 250000 in Germany; empty if it is none."""
    currency = settings.SITE_CURRENCY
    try:
        return str(int(site_formats().read_amount(text.strip().lstrip("$€£ "), currency, decimals=exponent(currency))))
    except ValueError:
        return ""


def read_criteria(query: QueryDict) -> Criteria:
    """Read a visitor's search (at most three statements, if there is an area)."""
    given: dict[str, str | None] = {name: query.get(parameter) for parameter, name in PARAMETERS.items()}
    for name in ("min_price", "max_price"):
        given[name] = _whole_price(given[name] or "")
    area = read_area(query.get("area", ""))
    city, state = area.city, area.state
    if city and not state:
        city, state = locate(city)
    wanted = read_filter({**given, "city": city, "state": state, "postal_code": area.postal_code})
    sort = query.get("sort", DEFAULT_SORT)
    return Criteria(wanted, sort if sort in SORTS else DEFAULT_SORT)
