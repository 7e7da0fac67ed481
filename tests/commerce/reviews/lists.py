"""The API's list of reviews, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature

from .builders import public_review, sync


def reviews(number: int) -> None:
    """Public reviews, half of them of a provider."""
    switch_feature(name="reviews", on=True)
    for place in range(number):
        if place % 2:
            public_review(rating=1 + place % 5)
        else:
            sync({"id": f"r-{place}", "rating": 4, "text": "Good.", "user": {"name": "Ruth"}, "time_created": "2026-01-02"})


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows.
    "/reviews?per_page=100": (reviews, 3),
    "/reviews?per_page=100&status=public&min_rating=1&max_rating=5&since=2026-01-01": (reviews, 3),
    "/reviews?per_page=100&cursor=": (reviews, 2),
}
