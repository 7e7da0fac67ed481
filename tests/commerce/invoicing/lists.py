"""The API's list of invoices, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature

from .builders import item, make_client, make_overdue, pay


def invoices(number: int) -> None:
    """Overdue invoices of two items, each with a payment."""
    switch_feature(name="invoicing", on=True)
    client = make_client()
    for _ in range(number):
        pay(make_overdue(item(tax=20), item(quantity=2), client=client, email="dana@example.com"), 100)


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, and the rows.
    "/invoicing/invoices?per_page=100": (invoices, 3),
    "/invoicing/invoices?per_page=100&status=overdue&type=invoice&email=dana@example.com&since=2026-01-01": (invoices, 3),
    "/invoicing/invoices?per_page=100&status=outstanding&sort=-updated_at": (invoices, 3),
    "/invoicing/invoices?per_page=100&cursor=": (invoices, 2),
}
