"""The API's lists of subscribers, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.marketing.models import Subscriber
from commerce.marketing.services.subscribers import upsert_subscribers


def subscribers(number: int) -> None:
    switch_feature(name="marketing", on=True)
    first = Subscriber.objects.count()
    rows = [{"email": f"dana{first + index}@example.com", "first_name": "Dana", "tags": ["news"]} for index in range(number)]
    upsert_subscribers(rows=rows, source="test")


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows.
    "/marketing/subscribers?per_page=100": (subscribers, 3),
    "/marketing/subscribers?per_page=100&status=all&search=dana": (subscribers, 3),
    # The versions, and the rows.
    "/marketing/subscribers?per_page=100&cursor=": (subscribers, 2),
}
