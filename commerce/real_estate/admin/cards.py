"""The admin home's cards for real estate, and its first step."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, Step, count_up_to_max

from ..models import Feed
from ..selectors.feeds import failing_feeds, feeds_to_confirm
from .feeds import CONFIRM, FAILING


def feeds(request: HttpRequest) -> Iterator[Card]:
    """Feeds whose imports fail, or stopped before removing many listings (two statements)."""
    url = reverse("property_feeds:index")
    yield Card(
        "Property feeds with failed imports",
        set_query_params(url, {"state": FAILING}),
        text="Listings may be out of date. Check the address and the token.",
        icon="rotate",
        urgent=True,
        count=count_up_to_max(failing_feeds()),
    )
    yield Card(
        "Property feeds that stopped before removing listings",
        set_query_params(url, {"state": CONFIRM}),
        text="Many listings are gone from the feed. Confirm that they are removed here too.",
        icon="rotate",
        urgent=True,
        count=count_up_to_max(feeds_to_confirm()),
    )


def add_feed(request: HttpRequest) -> Step:
    text = "The address and the token of your MLS, or a file of listings."
    return Step("Add a property feed", reverse("property_feeds:add"), text, done=Feed.objects.exists(), order=76)
