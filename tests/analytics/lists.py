"""The API's reports, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.analytics.services.storing import store
from cms_api.flags.services import switch_feature

from .builders import NOON, goal, view


def visits(number: int) -> None:
    """Visits of as many pages, from as many sources."""
    switch_feature(name="analytics", on=True)
    for place in range(number):
        origin = {"source": f"s{place}", "referrer": f"r{place}.example.com"}
        store([view(f"/p{place}", NOON, 100 + place, title=f"P{place}", **origin), goal(NOON + 1, 100 + place)])


_DAYS = "from=2026-01-01&to=2026-01-31"
#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the months that are summed up, and the sums.
    f"/analytics/timeseries?{_DAYS}": (visits, 3),
    # And the titles.
    f"/analytics/pages?{_DAYS}&limit=100": (visits, 4),
    f"/analytics/pages?{_DAYS}&limit=100&page=/p0": (visits, 4),
    f"/analytics/referrers?{_DAYS}&limit=100": (visits, 3),
    f"/analytics/sources?{_DAYS}&limit=100": (visits, 3),
    # The visitors, for the rates.
    f"/analytics/conversions?{_DAYS}": (visits, 4),
}
