"""The API's lists of ticket orders and tickets, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import set_setting, switch_feature

from .builders import adult, make_order, make_sales


def orders(number: int) -> None:
    """Paid orders of several tickets."""
    switch_feature(name="events", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    event = make_sales(adult(pricing="free"))
    for _ in range(number):
        make_order(event, Adult=2)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, the orders and their items.
    "/ticketing/orders?per_page=100": (orders, 4),
    "/ticketing/orders?per_page=100&status=paid&email=dana@example.com&since=2026-01-01": (orders, 4),
    "/ticketing/orders?per_page=100&cursor=": (orders, 3),
    # The versions, the total, and the tickets with their orders.
    "/ticketing/tickets?per_page=100": (orders, 3),
    "/ticketing/tickets?per_page=100&status=valid&email=dana@example.com&sort=updated_at": (orders, 3),
    "/ticketing/tickets?per_page=100&cursor=": (orders, 2),
}
