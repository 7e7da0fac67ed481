"""The admin home's card for analytics."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, Kind

from ..selectors.labels import change, number
from ..selectors.reports import sums_of
from .asked import range_of_period

PERIOD = "7"


def visitors(request: HttpRequest) -> Card:
    """The visitors of the last seven days, with their change from the seven days before."""
    now, before = sums_of(range_of_period(PERIOD))
    words, _ = change(now["visitors"], before["visitors"])
    return Card(
        f"Visitors in the last {PERIOD} days",
        f"{reverse('analytics:index')}?period={PERIOD}",
        Kind.FIGURE,
        text=f"{number(now['visitors'])}, {words}",
        icon="view",
    )
