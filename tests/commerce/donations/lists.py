"""The API's list of donations, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import set_setting, switch_feature

from .builders import make_campaign, make_donation, make_fundraiser


def donations(number: int) -> None:
    """Donations, half of them through a fundraiser."""
    switch_feature(name="donations", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    fundraiser = make_fundraiser(make_campaign())
    for place in range(number):
        make_donation(None, fundraiser if place % 2 else None, frequency="monthly")


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows with their campaigns and fundraisers.
    "/donations?per_page=100": (donations, 3),
    "/donations?per_page=100&status=pending&frequency=recurring&email=dana@example.com&since=2026-01-01": (donations, 3),
    "/donations?per_page=100&cursor=": (donations, 2),
}
